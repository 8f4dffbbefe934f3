import { Listing, type ListingData } from '../components/listing.js'
import { PageHead } from '../components/page-head.js'

/** The repositories of the catalog, each with its first skill. */
export const RepositoriesView = (listing: ListingData) => (
  <div class="listing-view">
    <PageHead kind="All of the catalog" title="Repositories">
      <p class="quiet">Each with the first of its skills in this order, and how many more it has.</p>
    </PageHead>
    <Listing {...listing} />
  </div>
)
