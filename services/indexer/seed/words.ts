/** Words of everyday life and other trades, by field; more frequent words first. */
const generalWords = {
  qualities: `
    simple fast small tiny light quick smart clean clear bright open free public private local remote global daily weekly
    modern classic minimal complete compact portable robust reliable stable safe secure strict gentle quiet silent loud
    deep shallow wide narrow high low long short early late first last next previous new old fresh ripe raw solid liquid
    soft hard warm cool hot cold dry wet red green blue amber violet golden silver crimson indigo ivory scarlet teal
    automatic manual visual audible interactive collaborative distributed parallel incremental lazy eager dynamic static
    typed untyped native hybrid universal generic custom personal shared central regional annual seasonal rare common`,
  business: `
    business company team project product customer client vendor partner sales lead deal pipeline quote order invoice
    payment receipt refund tax payroll salary bonus expense budget forecast revenue margin profit loss asset debt credit
    loan mortgage interest dividend stock bond fund portfolio hedge option future currency exchange crypto bank account
    ledger balance audit compliance insurance claim premium policy contract clause lawsuit court judge patent trademark
    copyright license permit tender procurement supplier warehouse inventory shipment freight parcel courier customs
    meeting agenda standup retrospective sprint backlog roadmap milestone kanban estimate stakeholder strategy market
    brand campaign slogan logo audience survey interview persona pitch investor startup franchise retail wholesale`,
  health: `
    health doctor nurse patient clinic hospital pharmacy medicine dose vaccine symptom diagnosis therapy surgery recovery
    heart lung liver kidney brain nerve muscle bone joint skin blood pressure pulse sleep diet calorie protein vitamin
    fitness workout yoga running cycling swimming climbing rowing stretching breathing meditation posture injury allergy
    asthma diabetes migraine dental vision hearing pregnancy infant toddler elder caregiver hospice wellness hygiene`,
  science: `
    science physics chemistry biology astronomy geology ecology botany zoology genetics genome protein enzyme cell tissue
    molecule atom electron photon quark plasma laser magnet voltage current circuit sensor antenna radar satellite orbit
    planet moon star galaxy comet telescope microscope spectrum wavelength crystal mineral fossil volcano earthquake
    glacier ocean tide current river lake rain snow storm wind cloud climate carbon methane solar turbine battery fusion
    theorem lemma proof axiom algebra geometry topology calculus integral derivative polynomial prime probability variance
    experiment hypothesis measurement uncertainty calibration laboratory specimen dataset survey telescope expedition`,
  learning: `
    school student teacher lesson course lecture seminar exam quiz grade homework essay thesis dissertation tutor mentor
    curriculum syllabus flashcard vocabulary grammar spelling pronunciation dictionary reading writing arithmetic history
    geography philosophy ethics logic rhetoric debate archaeology anthropology sociology psychology economics politics
    library museum gallery exhibit archive manuscript language dialect accent translation subtitle interpreter`,
  media: `
    music song melody chord rhythm tempo drum bass guitar piano violin choir orchestra playlist lyrics remix synth mixer
    audio voice speech microphone headphone speaker radio podcast video film movie scene script storyboard camera lens
    photo portrait landscape filter exposure aperture drone footage timeline transition subtitle caption thumbnail
    stream channel studio novel poem story character dialogue plot comic manga sketch paint brush ink clay origami
    sculpture ceramic mosaic tapestry embroidery knitting crochet quilt fashion fabric pattern jewelry tattoo calligraphy`,
  home: `
    home house room kitchen garden garage roof wall floor door window lamp light switch thermostat heater boiler fridge
    oven stove kettle vacuum laundry plumbing paint tile wood carpenter furniture shelf sofa bed mattress curtain carpet
    recipe meal breakfast lunch dinner bread pasta rice soup salad cheese yogurt butter egg fish beef chicken tofu bean
    lentil potato tomato onion garlic pepper carrot spinach mushroom apple banana orange lemon berry grape olive honey
    chocolate coffee tea wine beer spice basil ginger saffron vanilla cinnamon bakery barbecue picnic grocery pantry
    plant seed flower tree lawn compost soil harvest orchard greenhouse bee hive chicken goat sheep horse dog cat parrot`,
  places: `
    city town village street bridge harbor airport station train subway tram bus taxi bicycle scooter car truck ship ferry
    sailboat canoe flight passport visa luggage hotel hostel camping tent trail mountain valley canyon desert forest island
    beach reef lagoon map compass route itinerary ticket tour guide festival carnival stadium theater park playground
    castle temple cathedral lighthouse windmill aquarium zoo vineyard meadow marsh tundra savanna fjord delta peninsula`,
  play: `
    game puzzle chess checkers poker dice card board quest dungeon dragon wizard knight castle treasure maze level score
    arcade racing soccer tennis golf hockey rugby cricket baseball basketball volleyball boxing fencing archery skiing
    surfing skating chessboard crossword sudoku trivia riddle jigsaw lottery referee coach league tournament trophy`,
  people: `
    family parent child friend neighbor guest host volunteer citizen voter mayor senator minister soldier pilot sailor
    farmer baker butcher tailor barber plumber electrician mechanic engineer architect designer artist writer editor
    journalist photographer musician actor dancer chef waiter librarian scientist researcher analyst accountant lawyer
    wedding birthday anniversary reunion funeral holiday gift letter message call email chat contact address birthday`,
  materials: `
    steel iron copper aluminum titanium lithium silicon graphite glass ceramic concrete brick marble granite sand gravel
    timber bamboo cork rubber plastic nylon cotton linen wool silk leather velvet canvas denim felt wax resin glue varnish
    nail screw bolt rivet hinge spring gear pulley lever piston valve pump nozzle hose pipe cable wire fuse relay diode
    transistor capacitor resistor soldering breadboard robot actuator servo gripper conveyor lathe drill hammer wrench`,
  nature: `
    oak maple birch pine cedar willow fern moss lichen cactus orchid tulip daisy lavender clover thistle ivy reed algae
    coral kelp plankton salmon trout tuna shark whale dolphin otter seal penguin owl eagle falcon heron crane sparrow
    swallow raven robin finch fox wolf bear deer moose badger squirrel rabbit hedgehog beetle ant spider butterfly moth
    cricket firefly snail turtle lizard gecko frog toad newt meadowlark sunrise sunset twilight midnight dawn horizon
    thunder lightning drizzle frost hail breeze gale monsoon drought avalanche`,
} as const

/** Words of software and computing, by field; more frequent words first. */
const technicalWords = {
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

/** A language other than English, used by a small share of the descriptions. */
export interface OtherLanguage {
  words: readonly string[]
  /** Separator of words. */
  space: string
  /** End of a sentence. */
  stop: string
}

const language = (words: string, space = ' ', stop = '.'): OtherLanguage => ({
  words: words.split(/\s+/).filter((word) => word !== ''),
  space,
  stop,
})

/** More common ones first. */
export const otherLanguages: readonly OtherLanguage[] = [
  language(
    `技能 文档 转换 搜索 数据 分析 生成 自动 报告 图片 表格 翻译 代码 审查 测试 部署 监控 数据库 查询 导出 网页 抓取 邮件 日历
    会议 记录 摘要 语音 识别 视频 字幕 音乐 学习 笔记 知识 管理 项目 任务 团队 财务 发票 健康 天气 旅行 食谱 安全 加密 快速 简单
    开源 工具 帮助 用户 创建 编辑 检查 文件 本地 模型 提示词 智能 助手 接口 日志 备份 同步 格式 支持 中文`,
    '',
    '。',
  ),
  language(
    `スキル 文書 変換 検索 データ 分析 生成 自動 レポート 画像 表 翻訳 コード レビュー テスト 配備 監視 データベース 問い合わせ
    出力 ウェブ 収集 メール 予定 会議 記録 要約 音声 認識 動画 字幕 音楽 学習 メモ 知識 管理 計画 作業 チーム 会計 請求書 健康
    天気 旅行 料理 安全 暗号 高速 簡単 道具 支援 利用者 作成 編集 確認 ファイル モデル 助手 日本語 を の に と`,
    '',
    '。',
  ),
  language(
    `기술 문서 변환 검색 데이터 분석 생성 자동 보고서 이미지 표 번역 코드 검토 시험 배포 감시 데이터베이스 질의 내보내기 웹 수집
    메일 일정 회의 기록 요약 음성 인식 영상 자막 음악 학습 메모 지식 관리 계획 작업 팀 회계 송장 건강 날씨 여행 요리 보안 암호
    빠른 간단한 도구 지원 사용자 만들기 편집 확인 파일 모델 도우미 한국어`,
  ),
  language(
    `Fähigkeit Dokumente umwandeln Suche Daten Auswertung erzeugt selbsttätig Bericht Bilder Tabelle Übersetzung Quelltext
    prüft Prüfung für Überwachung Datenbank Abfrage Ausgabe Webseite sammelt Kalender Besprechung Zusammenfassung Sprache
    Erkennung Untertitel Musik lernen Notizen Wissen verwaltet Vorhaben Aufgaben Gruppe Buchhaltung Rechnungen Gesundheit
    Wetter Reise Rezepte sicher Verschlüsselung schnell einfach Werkzeug hilft Benutzer erstellt bearbeitet größer Datei
    Modell Gerät öffnet schließt über während zwischen und oder mit aus der die das eine jeder Straße Maßstab`,
  ),
  language(
    `compétence documents convertit recherche données analyse génère automatique rapport images tableau traduction réécrit
    vérifie épreuve déploiement surveille requête résultat récupère courrier calendrier réunion résumé voix reconnaît
    sous-titres musique élève notes savoir gère projet tâches équipe comptabilité facture santé météo voyage recette sûr
    chiffrement rapide léger outil aide créé éditeur fichier modèle côté après déjà être où très avec pour sans dans les
    des une façon château naïve cœur œuvre garçon`,
  ),
  language(
    `habilidad documentos convierte búsqueda datos análisis genera automático informe imágenes tabla traducción código
    revisión prueba despliegue vigila consulta resultado página recoge correo calendario reunión resumen voz reconoce
    subtítulos música aprende apuntes conocimiento gestión proyecto tareas equipo contabilidad factura salud clima viaje
    receta seguro cifrado rápido sencillo herramienta ayuda usuario crea edición archivo modelo año niño español también
    según más fácil con para sin del las los una`,
  ),
  language(
    `habilidade documentos converte pesquisa dados análise gera automático relatório imagens tabela tradução código revisão
    teste implantação monitora consulta página coleta calendário reunião resumo voz reconhece legendas música aprende
    anotações conhecimento gestão projeto tarefas equipe contabilidade fatura saúde clima viagem receita seguro rápido
    simples ferramenta ajuda usuário cria edição arquivo modelo não também até então maçã coração português com para sem`,
  ),
  language(
    `навык документы преобразует поиск данные анализ создаёт автоматически отчёт изображения таблица перевод код проверка
    тест развёртывание наблюдение запрос вывод страница собирает почта календарь встреча краткое голос распознаёт
    субтитры музыка учёба заметки знания управление проект задачи команда счёт здоровье погода поездка рецепт безопасный
    шифрование быстрый простой инструмент помощь пользователь файл модель для и с без на русский`,
  ),
  language(
    `umiejętność dokumenty zamienia wyszukuje dane analiza tworzy samoczynnie raport obrazy tabela tłumaczenie kod przegląd
    próba wdrożenie śledzi zapytanie wynik strona zbiera poczta kalendarz spotkanie streszczenie głos rozpoznaje napisy
    muzyka nauka notatki wiedza zarządza projekt zadania zespół księgowość faktura zdrowie pogoda podróż przepis bezpieczny
    szybki prosty narzędzie pomoc użytkownik plik źródło łączy żółty dla i z bez na polski`,
  ),
  language(
    `مهارة مستندات تحويل بحث بيانات تحليل إنشاء تلقائي تقرير صور جدول ترجمة شيفرة مراجعة اختبار نشر مراقبة استعلام صفحة
    بريد تقويم اجتماع ملخص صوت موسيقى تعلم ملاحظات معرفة إدارة مشروع مهام فريق فاتورة صحة طقس سفر وصفة أمان تشفير سريع
    بسيط أداة مساعدة مستخدم ملف نموذج عربي`,
  ),
]

const fields = [...Object.values(technicalWords), ...Object.values(generalWords)].map((text) =>
  text.trim().split(/\s+/),
)

/** Distinct words of all fields, ordered by their rank within a field. */
export const vocabulary: readonly string[] = [
  ...new Set(
    fields
      .flatMap((words) => words.map((word, rank) => ({ word, rank })))
      .sort((a, b) => a.rank - b.rank)
      .map(({ word }) => word),
  ),
]

/** More frequent words first. */
export const functionWords: readonly string[] =
  'the and to for a with of your in from or on when into by as that an this every without using before after'.split(' ')

/** More frequent topics first. */
export const topics: readonly string[] = vocabulary.filter((_word, rank) => rank % 2 === 0).slice(0, 600)
