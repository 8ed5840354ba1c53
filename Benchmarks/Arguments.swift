/// The command line arguments.
struct Arguments {
    /// What ``Report`` prints.
    enum Format { case text, json, table }

    /// The format of the report.
    var format = Format.text
    /// One short round of each benchmark, as a smoke test.
    var quick = false
    /// Only the groups whose names contain one of these words.
    var filters: [String] = []
    /// The file for a chart of all ratios.
    var chart: String?
    /// The file of the bands of ratios to compare with.
    var bands: String?
    /// Writes the bands to the file.
    var updatesBands = false
    /// Run as the server process.
    var serve = false

    static var usage: String {
        """
        Usage: benchmarks [--json | --table] [--svg FILE] [--quick] [--filter GROUP]... [--check FILE | --update FILE]

        Every figure is the median of several rounds after a warm-up. A ratio compares a subject with its baseline round
        by round, both in turn in the same run; above 1 the subject is faster.

        --json      prints JSON
        --table     prints a table in Markdown
        --svg       writes a chart of all ratios
        --quick     one short round of each benchmark
        --filter    only this group; several may be named
        --check     fails if a ratio is more than a fifth below its band in the file, in two runs
        --update    widens the bands in the file to those of this run

        Groups: \(Group.names.joined(separator: ", "))
        """
    }

    /// An argument that is not understood.
    struct Invalid: Error, CustomStringConvertible {
        let description: String
    }

    /// - Throws: ``Invalid``.
    init(_ words: [String]) throws(Invalid) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--json": format = .json
            case "--table": format = .table
            case "--quick": quick = true
            case "--serve": serve = true
            case "--filter":
                let filter = try Self.value(of: word, &rest)
                guard Group.names.contains(where: { $0.contains(filter) }) else {
                    throw Invalid(description: "No group's name contains \(filter).")
                }
                filters.append(filter)
            case "--svg": chart = try Self.value(of: word, &rest)
            case "--check", "--update":
                bands = try Self.value(of: word, &rest)
                updatesBands = word == "--update"
            default: throw Invalid(description: "Unknown argument: \(word)")
            }
        }
    }

    private static func value(of word: String, _ rest: inout ArraySlice<String>) throws(Invalid) -> String {
        guard let value = rest.popFirst() else { throw Invalid(description: "\(word) needs a value.") }
        return value
    }
}
