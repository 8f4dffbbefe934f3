/** Words of everyday life and other trades, by field; more frequent words first. */
export const generalWords = {
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
