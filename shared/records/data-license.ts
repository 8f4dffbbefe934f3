/** The licence of the data: its SPDX identifier and its address, as every export names them. */
export const dataLicense = {
  license: 'CC-BY-4.0',
  licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
} as const
