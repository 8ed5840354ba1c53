/// The parsed command line.
struct Arguments {
    /// A part of the tour that runs alone.
    enum Section: String { case store, hyperhive }

    var section: Section?
    var server: String?
    var user = "ann"
    var password = "open sesame"
    var wantsHelp = false

    static let usage = """
        Usage: quickstart [store | hyperhive | --server URL] [--user NAME] [--password WORD]

        Without arguments: starts small emulations of the vendors' servers in this process and tours all APIs.
        store: tours the local store only, without any server.
        hyperhive: tours HyperHive only, on an emulation of its server.
        With --server: tours Akula only, on an Akula server. URL is the base URL of an app scope, such as
        https://example.com/akula/myServerApp.
        """

    /// Parses the arguments.
    /// - Returns: nil for an unknown option or section, or a missing value.
    init?(_ words: [String]) {
        var rest = words[...]
        while let option = rest.popFirst() {
            if option == "--help" || option == "-h" {
                wantsHelp = true
                continue
            }
            if let section = Section(rawValue: option) {
                self.section = section
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch option {
            case "--server": server = value
            case "--user": user = value
            case "--password": password = value
            default: return nil
            }
        }
    }
}
