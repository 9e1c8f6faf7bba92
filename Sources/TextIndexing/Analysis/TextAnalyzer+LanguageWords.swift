extension TextAnalyzer.Language {
    /// Words without topical meaning: articles, pronouns, the most common prepositions. Written without accents and
    /// case, as they are compared. Empty for languages without a list.
    ///
    /// A changed list requires a new version in `TextAnalyzer.versions`.
    public var stopWords: [String] {
        let words =
            switch self {
            case .english: "a an the and or of in on at to by for from with as is are was were be it its this that"
            case .german:
                "der die das den dem des ein eine einen einem einer eines und oder von vom im in am an auf aus bei mit zu "
                    + "zum zur ist sind war als"
            case .french: "le la les un une des du de et ou a au aux en dans sur par pour avec est sont ce cette ces"
            case .spanish: "el la los las un una unos unas y o de del en a al con por para es son que se"
            case .italian: "il lo la i gli le un uno una e o di del della dei in nel nella a al da con per su che"
            case .portuguese: "o a os as um uma e ou de do da dos das em no na nos nas com por para que ao"
            case .dutch: "de het een en of van in op aan bij met te voor door naar is zijn was"
            case .swedish: "en ett den det de och eller av i pa till fran med for som ar var"
            case .danish: "en et den det de og eller af i pa til fra med for som er var"
            case .norwegian: "en ei et den det de og eller av i pa til fra med for som er var"
            case .russian: "и или в во на с со к у о об от до по за из не что как это"
            default: ""
            }
        return words.split(separator: " ").map(String.init)
    }

    /// The words that are dropped before an apostrophe, so that `arbre` finds `l'arbre`. Without case and accents.
    var elisions: Set<String> {
        switch self {
        case .french: ["l", "d", "j", "m", "t", "s", "c", "n", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu"]
        case .italian:
            ["l", "d", "c", "un", "all", "dall", "dell", "nell", "sull", "coll", "quell", "quest", "sant", "bell"]
        case .catalan: ["l", "d", "m", "n", "s", "t"]
        default: []
        }
    }
}
