/** The licence of the data: its SPDX identifier and its URL, as in every export. */
export const dataLicense = {
  license: 'CC-BY-4.0',
  licenseUrl: 'https://creativecommons.org/licenses/by/4.0/',
} as const
