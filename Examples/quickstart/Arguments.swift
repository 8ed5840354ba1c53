/// What the command line says.
struct Arguments {
    var server: String?
    var user = "ann"
    var password = "open sesame"
    var wantsHelp = false

    static let usage = """
        Usage: quickstart [--server URL] [--user NAME] [--password WORD]

        Without --server it starts small servers of the vendors in this process and talks to them over real sockets.
        With it, it tours Akula alone.
        URL is the base URL of an app scope, such as https://example.com/akula/myServerApp.
        """

    /// - Returns: nil when it cannot be understood.
    init?(_ words: [String]) {
        var rest = words[...]
        while let option = rest.popFirst() {
            if option == "--help" || option == "-h" {
                wantsHelp = true
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
