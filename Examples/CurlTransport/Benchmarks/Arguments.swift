/// The command line arguments.
struct Arguments {
    /// Print the results as JSON.
    var json = false
    /// One short round of each benchmark, as a smoke test.
    var quick = false
    /// Only these groups: requests, memory, transfers, floor, beside, endurance or cancellations.
    var filters: [String] = []
    /// The URLs of a small file on nginx, without TLS and with HTTP/2 over TLS, for the group floor.
    var nginx: [String] = []
    /// Only the benchmarks of the group floor whose names contain this text.
    var row: String?
    /// Run as the server process.
    var serve = false

    static let usage = """
        Usage: curl-benchmarks [--json] [--quick] [--filter GROUP]... [--nginx URL ...] [--row TEXT]

        Every figure is the median of several rounds after a warm-up. A ratio compares a subject with its baseline round
        by round, both in turn in the same run; above 1 the subject is faster.
        Groups: requests, memory, transfers, floor, beside, endurance and cancellations. `Benchmarks/beside-nginx` starts
        nginx and runs the group floor, of which --row runs a part, such as for a profiler.
        """

    /// - Returns: nil to print the usage.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": json = true
            case "--quick": quick = true
            case "--serve": serve = true
            case "--nginx":
                guard let text = rest.popFirst() else { return nil }
                nginx.append(text)
            case "--row":
                guard let text = rest.popFirst() else { return nil }
                row = text
            case "--filter":
                guard let text = rest.popFirst() else { return nil }
                filters.append(text)
            default: return nil
            }
        }
    }
}
