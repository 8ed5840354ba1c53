/// The parsed command line.
struct Arguments {
    /// A part of the tour, which can run alone.
    enum Section: String, CaseIterable {
        case http, stores, akula, oracle, mobilefirst, sap, hyperhive

        /// What the section shows.
        var summary: String {
            switch self {
            case .http: "a client of an HTTP API: JSON, tokens, retries, pages, files, events"
            case .stores: "a local store: notes in SQLite, and a server that sends changes"
            case .akula: "Verivo Akula"
            case .oracle: "Oracle CX"
            case .mobilefirst: "MobileFirst"
            case .sap: "SAP SDMConnectivity"
            case .hyperhive: "HyperHive"
            }
        }
    }

    var section: Section?
    var server: String?
    var user = "ann"
    var password = "open sesame"
    var wantsHelp = false

    static let usage = """
        Usage: quickstart [SECTION | --server URL] [--user NAME] [--password WORD]

        Without arguments: all sections, against small servers in this process.
        \(list)
        With --server: Akula only, on an Akula server. URL is the base URL of an app scope, such as
        https://example.com/akula/myServerApp.
        """

    /// The sections with what they show.
    static let list = Section.allCases.map { section in
        let padding = String(repeating: " ", count: 12 - section.rawValue.count)
        return "  \(section.rawValue)\(padding)\(section.summary)"
    }.joined(separator: "\n")

    /// Parses the arguments.
    /// - Throws: a ``Problem`` for an unknown option or section, or a missing value.
    init(_ words: [String]) throws(Problem) {
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
            guard ["--server", "--user", "--password"].contains(option) else {
                throw Problem("There is no section or option \(option).")
            }
            guard let value = rest.popFirst() else { throw Problem("A value is missing after \(option).") }
            switch option {
            case "--server": server = value
            case "--user": user = value
            default: password = value
            }
        }
    }

    /// What is wrong with the command line.
    struct Problem: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
