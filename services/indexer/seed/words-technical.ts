/** Words of software and computing, by field; more frequent words first. */
export const technicalWords = {
  actions: `
    create build write read convert generate parse format edit manage search find fetch extract merge split compare check
    validate test review analyze summarize translate transcribe render draw plot export import upload download sync
    backup restore migrate deploy release publish install configure monitor trace profile debug refactor lint compile
    bundle minify encode decode encrypt decrypt sign verify hash compress archive unpack index rank filter sort group
    count measure estimate predict classify cluster label annotate tag route schedule queue retry throttle batch stream
    buffer cache mirror clone fork commit push pull rebase squash tail watch notify alert post send receive forward reply
    draft outline rewrite proofread quote cite record replay capture crop resize rotate blur trim mix tune calibrate
    simulate solve prove optimize allocate assign track audit approve reject invite onboard scaffold bootstrap patch
    upgrade rollback inspect crawl scrape browse click scroll type paste copy rename move delete restore lock unlock`,
  documents: `
    pdf document spreadsheet slide word excel table form letter invoice report memo contract template page chapter
    footnote bibliography citation abstract appendix glossary heading margin font layout paper book ebook epub markdown
    latex docx pptx csv json yaml toml xml html rtf svg png jpeg gif webp tiff scan ocr barcode signature watermark
    redaction bookmark annotation comment revision draft manuscript brochure poster flyer newsletter resume portfolio
    agenda minutes checklist worksheet calendar diary notebook note snippet outline mindmap diagram flowchart whiteboard`,
  code: `
    code function class module package library framework compiler interpreter parser lexer syntax grammar token tree node
    graph loop recursion closure iterator generator promise callback thread process fiber mutex semaphore channel
    pointer reference string array list map set heap stack trie buffer byte bit regex pattern template macro decorator
    interface trait enum struct tuple type generic schema assertion fixture mock stub coverage snapshot fuzz benchmark
    regression bug crash leak deadlock race timeout exception stacktrace breakpoint symbol binary object linker header
    makefile toolchain monorepo workspace dependency lockfile version semver changelog license readme repository branch
    diff hunk conflict blame bisect stash submodule hook pipeline artifact runner editor terminal shell prompt command
    flag argument alias script daemon cron environment variable dotfile plugin extension theme keymap snippet autocomplete`,
  languages: `
    python javascript typescript rust golang java kotlin swift ruby elixir erlang haskell scala clojure ocaml fortran cobol
    julia perl lua zig nim dart php csharp cpp assembly wasm bash zsh powershell sql graphql solidity matlab prolog scheme
    lisp racket react vue svelte angular django flask rails laravel spring express node deno bun next astro tailwind`,
  data: `
    data dataset database query record row column field key value index table view cursor transaction replica shard
    partition warehouse lake mart cube dimension metric aggregate join union window pivot histogram outlier missing
    duplicate lineage catalog ontology taxonomy thesaurus vocabulary entity relation embedding vector tensor matrix
    feature sample batch epoch gradient loss weight layer neuron attention transformer model inference training
    finetune quantization distillation prompt completion token context memory agent planner tool skill retrieval
    chunk rerank hallucination evaluation judge rubric baseline leaderboard corpus crawl lemma stem entropy bayes
    regression forest boosting kernel manifold anomaly forecast trend season cohort funnel retention churn attribution`,
  web: `
    web browser page site link url domain host server client request response header cookie session login password
    passkey oauth webhook socket endpoint gateway proxy router middleware handler controller service worker frontend
    backend fullstack component widget button menu modal tooltip dropdown slider carousel grid card badge avatar icon
    palette gradient shadow animation transition keyframe canvas shader sprite viewport responsive accessibility contrast
    landmark screenreader sitemap robots feed rss atom podcast blog wiki forum storefront checkout cart wishlist coupon
    landing analytics consent banner captcha spam crawler seo keyword backlink snippet favicon manifest offline`,
  operations: `
    cloud container cluster pod node volume image registry namespace ingress mesh sidecar operator chart helm terraform
    ansible puppet vault secret certificate keyring firewall subnet gateway balancer autoscaler spot lambda bucket queue
    topic broker kafka redis postgres mysql sqlite mongo elastic clickhouse duckdb prometheus grafana loki tempo jaeger
    log metric trace span dashboard alert pager oncall incident runbook postmortem outage latency throughput quota budget
    capacity uptime heartbeat probe canary rollout bluegreen snapshot failover quorum consensus raft election lease
    kubernetes docker podman nomad proxmox linux debian ubuntu fedora alpine kernel systemd driver firmware bootloader`,
  security: `
    security threat risk exploit vulnerability advisory patch malware phishing ransomware sandbox forensics honeypot
    permission role policy identity access token credential leak breach rotation audit compliance privacy anonymize
    pseudonym encryption cipher handshake entropy nonce salt digest signature blockchain wallet ledger contract oracle`,
} as const
