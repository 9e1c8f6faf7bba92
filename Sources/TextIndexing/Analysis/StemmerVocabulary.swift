/// Words that characterize the behavior of a stemmer: for each language some common words, and stems combined with all
/// endings that its algorithm handles.
///
/// Part of the on-disk format: a different word or order gives a different ``StemmerIdentity``.
struct StemmerVocabulary: Sendable {
    private let words: String
    private let stems: String
    private let endings: String

    private init(words: String = "", stems: String, endings: String) {
        self.words = words
        self.stems = stems
        self.endings = endings
    }

    /// Calls `body` with each word, in an order that never changes.
    func forEachWord(_ body: ([UInt8]) -> Void) {
        for word in Self.parts(of: words) { body(word) }
        let endings = Self.parts(of: endings)
        for stem in Self.parts(of: stems) {
            body(stem)
            for ending in endings {
                body(stem + ending)
                // Two consecutive endings are handled one after the other.
                if ending.count <= 4, let last = endings.last { body(stem + ending + last) }
            }
        }
    }

    /// Returns the parts between spaces. Splits bytes, because a space and the vowel sign after it form one character.
    private static func parts(of text: String) -> [[UInt8]] { text.utf8.split(separator: 0x20).map(Array.init) }

    /// Returns the words of a language.
    static func of(_ language: TextAnalyzer.Language) -> StemmerVocabulary {
        switch language {
        case .english, .dutch, .german, .danish, .norwegian, .swedish: germanic(language)
        case .french, .italian, .spanish, .portuguese, .catalan, .romanian: romance(language)
        case .finnish, .hungarian, .turkish, .basque, .irish, .lithuanian, .serbian, .indonesian: otherLatin(language)
        case .arabic, .armenian, .greek, .hindi, .nepali, .russian, .tamil, .yiddish: otherScript(language)
        }
    }

    private static func germanic(_ language: TextAnalyzer.Language) -> StemmerVocabulary {
        switch language {
        case .english:
            StemmerVocabulary(
                words: """
                    add added adding adds ebb ebbed ebbing egg egged err erred erring odd oddly off offing inn inning out \
                    outing herring earring exceed proceed succeed exceeded proceeds succeeding evening evenings even evens \
                    international internal internally internment internalize interval intervals interfere interfered \
                    interfering internet interview interest intern lateral laterally later late organ organic organically \
                    organism organize organized organization organizations organist universe universal universally \
                    university universities past paste pasted pasting pastes pastry ski skis skies sky skying dying lying \
                    tying vying hying die lie tie idly gently ugly early only singly news atlas bias \
                    emergency emergencies emerge emerged emergent general generally generate generous communism \
                    communication community arsenal animal anime animated geologist geologists \
                    archaeologist archaeologists apologist psychologist psychologists ornithologist oncologist \
                    entomologist genealogist biologist theologist sing bring king ring red bed feed agreed freed \
                    hopping hoping stopped planned rolled falling kissed buzzed sized fizzed luxuriated dried cries \
                    crying yes youth boyish toys say saying enjoyed kindness national rational traditional creator \
                    lovely quickly darkness careful carefully painting painted painter evidently movement agreement \
                    distance presence possible available
                    photographer photography bridge bridges harbour harbours children women mice feet geese
                    """,
                stems: """
                    act add art bak bed bill biolog block board boil book broad bury cam can car cast chart city class \
                    clean climb col com conn consult cop creat cry dan dat dec deep def dig doctor dog draw dream earl \
                    eb emerg engl evolv fall fan farm fat fee fil fish fit flow fog for fox frank ful gen geolog glass \
                    grav happ harbour hat help hop hot hous hum ide ind inter kiss knit lat law lay lazi leg light \
                    lik lin lov luck mag mak man mass meas mod mon mov nat nav new nobl obj oil old op orient paint \
                    past photograph play poet polic port pray press prob prov psycholog queen rag rain reg rel rom run \
                    sail sad sens sharp sho sing siz sky snow soft sol stat stop stud sun swim tak tall tann tel \
                    theolog trad tun typ under univers use val vary vot walk war warm wed wil wint wolf word wr yell
                    """,
                endings: """
                    s es ed ing er ers est ly y ies ied eed eedly edly ingly ness ment ments able ible al ally ial ation \
                    ations ational tional ator ators ate ated ating ize izer ized izing ization ism ist ists ogy ogist \
                    ogists ogical ous ously ousness ive iveness ivity iviti ful fully fulness less lessli less ance \
                    ence ancy ency encies ant ent ement ic ical ically icate iciti ity ities ality ology ss sses 's s' \
                    's' ion ions sion tion ier iest iness ying yed
                    """)
        case .dutch:
            StemmerVocabulary(
                words: """
                    bomen boom huizen huis kinderen kind wonen woont gewoond \
                    lopen loopt gelopen schrijven schrijver geschreven brieven brief muziek gezin bruggen brug mogelijk \
                    mogelijkheden gebouwen gebouw straten straat mooie mooi vogels vogel zee zeeën ideeën knieën kleuren
                    """,
                stems: """
                    boom huiz kind woon loop schrijv brug gebouw straat mooi vogel wandel licht water donk werk speel \
                    groot eigen vrij help leer zing roos rood voor hart recht proef gelov \
                    aap oog uur been weg stad land berg duin haven mist schip zeil
                    """,
                endings: """
                    en e s t d te de ten den heden heid ing ingen baar lijk lijke lijkheid ig ige igheid end ende er ers \
                    ster schap schappen nis nissen isme ist je jes tje tjes pje etje en's 's eren ering gericht st ste
                    """)
        case .german:
            StemmerVocabulary(
                words: """
                    brücken brücke häuser haus kinder \
                    kind schöne schön fahrräder fahrrad bäume baum gelaufen läuft laufen möglichkeiten möglich freundlich \
                    freundin freundinnen lehrerinnen erinnerungen erinnern straße strassen maße übung übungen weiß bildet \
                    redet arbeitet segeln wandern dunkel edel kartoffel systemen systems
                    """,
                stems: """
                    haus kind schön baum lauf möglich freund lehr wander arbeit licht wasser berg dorf stadt fahr spiel \
                    les schreib find müd red groß straß maß üb \
                    edl dunk seg rech zeichn öffn atm bild end gäst ziel quer meer nebel
                    """,
                endings: """
                    e en er es em ern s st est t et ete eten etest end ende enden ung ungen heit heiten keit keiten lich \
                    liche licher lichkeit ig ige igkeit isch ische in innen erin erinnen eln elt elnd ernd nis nisse bar \
                    bare sam schaft system systeme el els ik
                    """)
        case .danish:
            StemmerVocabulary(
                stems: """
                    hus barn by bog skov vand lys menneske arbejd skriv læs dansk smuk gård bro havn mulig venlig løb \
                    gammel ung vind sejl stor trygg bekend forening
                    """,
                endings: """
                    e en et er ene erne ernes s es ers ets ens ede edes ende endes erende heden heder hedens hed ig lig \
                    els elig eligt løst igst løs else elser eres ered ethed kk gt dt nd iske isk ning
                    """)
        case .norwegian:
            StemmerVocabulary(
                stems: """
                    hus barn by bok skog vann lys mennesk arbeid skriv les norsk vakk gård bru havn mulig vennlig løp \
                    gammel ung vind seil stor fór ròk vòk dòr sjòl tér mét t f v k nord und kart
                    """,
                endings: """
                    a e ede ande ende ane ene hetene en heten ar er heter s as es edes endes enes hetenes ens hetens ers \
                    ets et het ast erte ert dt vt leg eleg ig eig lig elig els lov elov slov hetslov isk ingen erne
                    """)
        default:
            StemmerVocabulary(
                words: "huset brevet året vattnet mötet fönstret trädet berget bordet arbetet hjärtat",
                stems: """
                    hus barn by bok skog vatten ljus människ arbet skriv läs svensk vack gård bro hamn möjlig vänlig lop \
                    gammal ung vind segl stor hår brev mål rum tak bär bord tåg berg pris ljud djur skepp
                    """,
                endings: """
                    a arna erna heterna orna ad e ade ande arne are aste en anden aren heten ern ar er heter or s as \
                    arnas ernas ornas es ades andes ens arens hetens erns at andet het ast et ets lig els fullt öst \
                    löst ig dd gd nn dt gt kt tt skt ningen
                    """)
        }
    }

    private static func romance(_ language: TextAnalyzer.Language) -> StemmerVocabulary {
        switch language {
        case .french:
            StemmerVocabulary(
                words: """
                    l'arbre d'abord n'avez j'ai qu'il s'il t'es m'a c'est l'eau l'île jusqu'ici \
                    quoiqu'on oiseaux naïve haïr ouïe poëte lampes dévot yeux travaux chevaux normaux
                    """,
                stems: """
                    arbr chant fin vend maison beau grand jardin port mont lumiè éclair nation gouvern possibl utilis admir \
                    roman mer brum bateau l'arbr d'utilis qu'admir n'av natur histor vill quart jou pay tap \
                    rapid électr
                    """,
                endings: """
                    e es s er ez ons ent ait ais aient ions iez a as ant ante ants é ée ées és i is it ir irons issant \
                    issement euse euses eux ance ances iste istes isme able ables ique iqUe iques ation ations ateur \
                    atrice logie logies usion ution ence ences ement ements ité ités if ive ives eaux aux ité euse \
                    ment amment emment ière Ière er ier ion ë y
                    """)
        case .italian:
            StemmerVocabulary(
                words: "divano divani tavolo sedia letto lampada dammelo parlarne città perché più libertà andai",
                stems: """
                    libr cas cant mang bell mont mar nav facil nazion amministr possibil stor pitt dormi vend fin div \
                    ponte nebbi barc porto legg scriv gioc guard
                    """,
                endings: """
                    o a i e are ere ire ato ata ati ate ando endo arci armi arti mente amente ezza ico ica ici iche abile \
                    ibile ista isti oso osa ose amento imenti atrice atore azione azioni logia uzione uzioni enza anza \
                    ità iva ivo ivi assi erò eremo iamo avano evano isse irono ché gli glielo sene cela ch gh
                    """)
        case .spanish:
            StemmerVocabulary(
                words: """
                    solucion nacion cancion educacion estacion \
                    dándoselo diciéndome cantárselo averigüéis pingüino
                    """,
                stems: """
                    libr cas cant com viv bell mont mar nav facil nacion administr posibl histor pint dorm puent niebl \
                    barc puert lleg sigu educ estac situ oper
                    """,
                endings: """
                    o a os as e es ar er ir ado ada ados ando iendo ción cion ciones acion ación aciones ucion ución \
                    uciones amente mente idad idades ivo iva ivas oso osas able ible anza anzas ismo ista istas ico \
                    icas logía logías encia encias adora adores ante aron ieron ábamos íamos aré ería yendo yeron seló \
                    selo me nos las gue gué güe imiento amientos
                    """)
        case .portuguese:
            StemmerVocabulary(
                stems: """
                    livr cas cant com viv bel mont mar nav facil naç administr possível histor pint dorm pont nevo \
                    barc port cheg segu educ irm coraç
                    """,
                endings: """
                    o a os as e es ar er ir ado ada ando endo ção ções ão ões ãe ãos amente mente idade idades ivo iva oso \
                    osas ável ível eza ezas ismo ista ico icas logia logias ência ências ador adora ante aram eram ávamos \
                    íamos arei eria ução uções ira iras gue ci ês ê ças amentos imentos
                    """)
        case .catalan:
            StemmerVocabulary(
                stems: """
                    llibr cas cant perd dorm bell munt mar nau fàcil naci administr possibl històr pint pont boir \
                    vaix port arrib segu educ germ cor
                    """,
                endings: """
                    a e o s es os ar er ir at ada ats ant ent ció cions ment ament itat itats iu iva ives ós osa able \
                    ible ança isme ista istes ic ica iques logia logies ència ències ador adora aven ien aré aria uda \
                    ut int endo im eixo eix·ll l·lar ínia ússim ot
                    """)
        default:
            StemmerVocabulary(
                words: "câștigă câştigă fețe feţe pește peşte soți soţi",
                stems: """
                    cart cas cânt frumos munt mar nav ușo uşo nați naţi administr posibil istor pict dorm pod ceaț ceaţ \
                    barc port ajung educ frat inim băiaț românes
                    """,
                endings: """
                    a e i ul ului ele elor ei iei iile iilor ilor aua aţi ați ation atei ă ăm are ere ire at ată ate ați \
                    aţi ând ind esc ește eşte ism iste istă ist oasă os abil abilă ibil ică iv ivă icitate icator \
                    ator atoare ație aţie ățile ăţile ivitate itate itatea ității ităţii ant ată uri uleţ ește seşi
                    """)
        }
    }

    private static func otherLatin(_ language: TextAnalyzer.Language) -> StemmerVocabulary {
        switch language {
        case .finnish:
            StemmerVocabulary(
                words: "hanhen tähän vieraan maahan veteen työhön puuhun suomeen",
                stems: """
                    talo kirja maa meri vene silta sumu kaupunki lapsi ihmis kaun suomalais tie työ puu hah kih \
                    han mah tah vieh lauh halko kuu perhe sadette kala
                    """,
                endings: """
                    n t ni si nsa nsä mme nne ssa ssä sta stä lla llä lta ltä lle na nä ta tä tten den ien han hän hin \
                    hon hen hun seen siin kaan kin ko kö pa pä sti mpi mpa mmi ja jä i ia ea a ä in ksi ine eja llaan \
                    ttä uuden kaane
                    """)
        case .hungarian:
            StemmerVocabulary(
                stems:
                    "ház könyv asztal hajó híd köd város gyerek ember szép magyar út munk fa alm kutyá mes kert olvas",
                endings: """
                    ban ben ba be nak nek val vel ból ből ról ről tól től hoz hez höz nál nél ig ért ként kor ul ül on en \
                    ön n t ot et öt at k ok ek ök ak im aim om em öm am unk ünk uk ük játok jai jei ja je a e é éi éké \
                    ám ém ást ánként astul estül anként ggal
                    """)
        case .turkish:
            StemmerVocabulary(
                words: "istanbul'da ankara'ya izmir'in ad soyad",
                stems: """
                    ev kitap deniz gemi köprü sis şehir çocuk insan güzel türk yol göz kuş ağaç oku yaz gel git okul su \
                    istanbul' türkiye' söyle ad soyad
                    """,
                endings: """
                    ler lar leri ları de da den dan e a ye ya i ı u ü nin nın nun nün in ın un ün im ım sin sın dir dır \
                    miz mız siniz sınız yken mış miş mişti yordu acak ecek meli malı ki ca ce casına yle yla yse ysa n na \
                    nda ndan lerinde larından sı si ğim cığım 'ın 'de
                    """)
        case .basque:
            StemmerVocabulary(
                stems: "etxe liburu itsaso ontzi zubi laino hiri haur gizon eder euskal bide lan mendi zuhaitz eskola",
                endings: """
                    a ak ek en ari arekin an etan tik etatik ra etara rako ko ren rentzat z ik tasun keria tzaile garri \
                    pen kuntza tze ketari aldi kor tsu ezin ago egi txo gune ezko
                    """)
        case .irish:
            StemmerVocabulary(
                words: "bhád mbád n-athair t-athair h-oileán d'ith b'fhearr gcapall dteach bhfear nglas",
                stems:
                    "bád leabhar teach cathair droichead ceo páist fear álainn gaeilge bóthar obair crann sliabh bhfocal",
                endings: """
                    a e í anna acha adh eacht eachta óir íocht íochta úil úla aire airí amhail each eacha ireacht óg óga \
                    amh aí igh ithe tear adán abhail grafaíocht ógaí
                    """)
        case .lithuanian:
            StemmerVocabulary(
                words: "kompiuteris kompiuteriai numeriai litras moteris geria jausmų",
                stems: """
                    nam knyg jūr laiv tilt rūk miest vaik žmog graž lietuv kel darb kaln med mokykl kompiuter numer koncer \
                    moter vak semestr char
                    """,
                endings: """
                    as a is ys us o ui ą ai ams ais uose e ei į yje iai iams iais ių ė ės ėje ėmis uje aus umi ūs ų u \
                    ieji uosius osios ausias esnis iausiai damas dama antis ęs usi ėjo eris erį eriai imas ymas iu tis
                    """)
        case .serbian:
            StemmerVocabulary(
                stems:
                    "kuć knjig mor brod most magl grad det čovek lep srpsk put rad planin drv škol књиг град леп мост",
                endings: """
                    a e i u o om ama ovi ova ovima evima ski ska sko ijih ijim ost osti ama ica ice anje enje ava ati iti \
                    iš imo ite aju ao ala li lo ti mo ше ама ови ског ије je ije ijeg dj
                    """)
        default:
            StemmerVocabulary(
                stems: "rumah buku laut kapal jembatan kabut kota anak orang indah jalan kerja pohon ajar tulis baca",
                endings: "lah kah pun tah ku mu nya kan an i annya kanlah ilah anku imu kannya")
        }
    }

    private static func otherScript(_ language: TextAnalyzer.Language) -> StemmerVocabulary {
        switch language {
        case .arabic:
            StemmerVocabulary(
                stems:
                    "كتاب والكتاب بالمدينة مدرس سيلعب يلعبون بحر سفينة جسر ضباب مدينة طفل رجل جميل عربي طريق أعمال استقبال للناس فالولد",
                endings: "ة ات ون ين ان ها هم هن كم نا ي ه تم وا تما كما ية هما تي اء ى")
        case .armenian:
            StemmerVocabulary(
                stems: "գիրք տուն ծով նավ կամուրջ մառախուղ քաղաք երեխա մարդ գեղեցիկ հայ ճանապարհ աշխատ սիր կարդ գր",
                endings:
                    "ներ եր ի ին ը ից ով ում ներից ներով երի ություն ությունը ական ային ել ում եց ան ված ող իչ ավոր որեն"
            )
        case .greek:
            StemmerVocabulary(
                words: "ίσα ίσος ισα φως κρέας γάλα νερό σπίτι δρόμος ψωμί",
                stems: """
                    βιβλι σπιτ θάλασσ πλοι γέφυρ ομίχλ πόλ παιδ άνθρωπ όμορφ ελλην δρόμ δουλ γράφ αγαπ κανον διαβάζ ισ \
                    πατερ μαθητ αρχ χαρ αντρ μεγαλ
                    """,
                endings: """
                    α ο ος ου ων ους οι ες ης η ας ια ιων ε ω εις ει ουμε ετε ουν ησαν ηθηκα ηθηκαν αμε ατε ηκαμε ουσα \
                    ουσε οντας ισμος ικος ικη οτητα ιζω ισα ισαμε ιστος αδες αδων ουδες εων ακι αρακι ουλα τατος τερος
                    """)
        case .hindi:
            StemmerVocabulary(
                stems: "लड़क किताब घर समुद्र जहाज पुल कोहर शहर बच्च आदम सुंदर रास्त काम पेड़ पढ़ लिख चल",
                endings: "ा े ी ो ों ें ियाँ ियों ाएं ाओं ता ती ते ना नी ने ेगा ेगी ूंगा कर ाकर ाइए ाया ाई एगा")
        case .nepali:
            StemmerVocabulary(
                stems: "किताब घर समुद्र जहाज पुल कुहिरो सहर बच्चा मान्छे राम्रो बाटो काम रुख पढ लेख हिड",
                endings: "हरू हरु ले लाई को का की मा बाट सँग देखि सम्म नु छु छन् छ ेको एको दा दै ला लान् थ्यो इन्")
        case .russian:
            StemmerVocabulary(
                words: "ёлка ещё моё зелёный чёрный",
                stems: """
                    книг дом мор корабл мост туман город ребён люд красив русск дорог работ гор дерев школ чита писа \
                    говор стро вод стран сильн лучш
                    """,
                endings: """
                    а я о е и ы у ю ой ей ом ем ам ям ами ями ах ях ов ев ость ости остью ый ий ая яя ое ее ые ие ого его \
                    ому ему ым им ыми ими ла ло ли л ть ти ешь ет ут ют ишь ит ат ят вший вшись ющий ющийся ейш ейше \
                    нн ь ся сь
                    """)
        case .tamil:
            StemmerVocabulary(
                stems: "வீடு புத்தகம் கடல் கப்பல் பாலம் மூடுபனி நகரம் குழந்தை மனிதன் அழகு தமிழ் சாலை வேலை மரம் படி எழுது",
                endings: "கள் களை க்கு ங்கள் ங்களை த்தில் த்தை இல் இன் ஐ ஆல் உடன் கிறான் கிறது ந்தான் வேன் ஆன ஆக உக்கு யை")
        default:
            StemmerVocabulary(
                words: "גע געגאַנגען גענומען געבן געזאָגט",
                stems: "בוך הויז ים שיף בריק נעפּל שטאָט קינד מענטש שיין ייִדיש וועג אַרבעט בוים לייען שרײַב גע געשריב",
                endings: "ער ן ען ט טע סטע ס קייט הייט ונג ונגען לעך לעכער יש ישע ל עלע ערן ט סט נדיק עניש שאַפט")
        }
    }
}
