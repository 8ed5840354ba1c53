/// The command line arguments.
struct Arguments {
    /// Print the report as JSON.
    var json = false
    /// One short round of each benchmark, as a smoke test.
    var quick = false
    /// Only one group of ``usage``.
    var filter: String?
    /// Run as the server process.
    var serve = false

    static let usage = """
        Usage: benchmarks [--json] [--quick] [--filter GROUP]

        Every figure is the median of several rounds after a warm-up. A ratio compares a subject with its baseline round
        by round, both in turn in the same run; above 1 the subject is faster.
        Groups: overhead, client, excerpts, queries, templates, progress, queueing, authentication, layers, monitoring,
        recordings, caching, store, memory, decoding, records, json, observation, rows, multipart, signing, outbox,
        hyperhive, network, streaming, deadlines and endurance.
        """

    /// - Returns: nil to print the usage.
    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": json = true
            case "--quick": quick = true
            case "--serve": serve = true
            case "--filter":
                guard let text = rest.popFirst() else { return nil }
                filter = text
            default: return nil
            }
        }
    }
}
