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
