import { html } from '../../../shared/text/html.js'
import { renderPage } from './page.js'

/** The page for browsing the catalog; its script fetches the content. */
export const explorerPage = renderPage({
  title: 'Skill Catalog',
  description: 'Skills for AI agents: search, read, and download them all.',
  styles: ['/assets/explorer.css'],
  scripts: ['/assets/explorer.js'],
  main: html`<h1>Skills for AI agents</h1>
<form id="search" role="search">
<label>Search <input id="q" type="search" autocomplete="off" spellcheck="false" maxlength="200" placeholder="pdf tables, owner/repo, &quot;exact words&quot;, -without" aria-controls="results"></label>
<label>Order <select id="sort">
<option value="">best first</option>
<option value="stars">most stars</option>
<option value="updated">latest update</option>
<option value="created">newest</option>
<option value="name">name</option>
</select></label>
</form>
<p id="status" role="status"></p>
<noscript><p>Searching here needs scripts. Without them: <a href="/api/v1/skills?sort=stars">the list as JSON</a>, <a href="/sitemap.xml">all skills by name</a>.</p></noscript>
<div id="found">
<div id="filters" role="group" aria-label="Narrow the search"></div>
<ol id="results" aria-label="Skills"></ol>
</div>
<nav id="pages" aria-label="Pages of the result"></nav>`,
})
