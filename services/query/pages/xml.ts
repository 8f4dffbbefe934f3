import { XMLBuilder } from 'fast-xml-parser'
import { visibleText } from '../../../shared/text/clean-text.js'

const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@', suppressEmptyNode: true })

/** Characters that XML 1.0 cannot represent (section 2.2), lone surrogates among them. */
const unwritable = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/**
 * Renders an XML document. Texts are escaped; characters that XML cannot represent become the replacement character,
 * and those that nobody sees are left out.
 *
 * @param root elements by name; attributes are members that begin with `@`, text is the member `#text`
 */
export const renderXml = (root: object): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n${visibleText(String(builder.build(root)).replace(unwritable, '\u{FFFD}'))}\n`
