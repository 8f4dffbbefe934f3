import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { projectRoot } from '../../shared/runtime/project-root.js'

/** An object of Kubernetes, with the members that tests read. */
export interface Manifest {
  kind: string
  metadata: { name: string; labels?: Record<string, string> }
  spec: Record<string, unknown>
}

interface Probe {
  httpGet: { path: string; port: string }
}

/** The one container of a pod. */
export interface PodContainer {
  image: string
  command?: string[]
  ports: { name: string; containerPort: number }[]
  envFrom: { configMapRef: { name: string } }[]
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[]
  livenessProbe: Probe
  readinessProbe: Probe
  lifecycle?: { preStop: { sleep: { seconds: number } } }
  resources: { requests: Record<string, string>; limits: Record<string, string> }
  securityContext: Record<string, unknown>
  volumeMounts: { mountPath: string }[]
}

/** A Deployment of one of the two services. */
export interface ServiceDeployment {
  name: string
  labels: Record<string, string>
  pod: Record<string, unknown> & { terminationGracePeriodSeconds: number }
  container: PodContainer
}

/** A kustomization file. */
export interface Kustomization {
  resources: string[]
  images?: { name: string; newName: string; newTag: string }[]
  configMapGenerator: { name: string; literals: string[] }[]
}

const folder = join(projectRoot(), 'infra/k8s')

/** The kustomization of a folder in `infra/k8s`. */
export const kustomizationOf = (name: 'base' | 'example'): Kustomization =>
  parse(readFileSync(join(folder, name, 'kustomization.yml'), 'utf8'))

/** The manifests of a text with several documents. */
export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest)

/** The texts of the files that a kustomization names, its own included. */
export const textsOf = (name: 'base' | 'example'): string[] =>
  ['kustomization.yml', ...kustomizationOf(name).resources.filter((file) => file !== '../base')].map((file) =>
    readFileSync(join(folder, name, file), 'utf8'),
  )

/** The Deployments among manifests. */
export const deploymentsIn = (manifests: Manifest[]): ServiceDeployment[] =>
  manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => {
      const template = spec['template'] as { metadata: Manifest['metadata']; spec: ServiceDeployment['pod'] }
      const [container] = template.spec['containers'] as PodContainer[]
      if (container === undefined) {
        throw new Error(`the Deployment ${metadata.name} has no container`)
      }
      return { name: metadata.name, labels: template.metadata.labels ?? {}, pod: template.spec, container }
    })
