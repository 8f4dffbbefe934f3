/**
 * The package is installed by operators who use it, since it has binaries of 288 MB for all systems. Its interface is
 * that of `onnxruntime-common`.
 */
declare module 'onnxruntime-node' {
  export * from 'onnxruntime-common'
}
