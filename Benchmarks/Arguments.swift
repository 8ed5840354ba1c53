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
    /// The file of the bands of ratios.
    var bands: String?
    /// What happens with the bands.
    var bandUse = BandFile.Use.check
    /// Run as the server process.
    var serve = false

    static var usage: String {
        """
        Usage: benchmarks [--json | --table] [--svg FILE] [--quick] [--filter GROUP]...
                          [--check FILE | --update FILE [--rebase]]

        Every figure is the median of several rounds after a warm-up. A ratio compares a subject with its baseline round
        by round, both in turn in the same run; above 1 the subject is faster.

        --json      prints JSON
        --table     prints a table in Markdown
        --svg       writes a chart of all ratios
        --quick     one short round of each benchmark
        --filter    only this group; several may be named
        --check     fails if a ratio is below its band in the file, and again in three of four further rounds: by more
                    than a fifth, or by more than half if the band is wider than a factor of 1.5. Without --filter
                    each band needs a ratio. The file is of short or of full runs, and refuses the others. On another
                    processor, or with another version of Swift, falls are printed and do not fail.
        --update    widens the bands in the file to the ratios of this run, or adds them
        --rebase    with --update: replaces the bands of the groups that run, without --filter the whole file

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
        var (updates, rebases) = (false, false)
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
                guard bands == nil else { throw Invalid(description: "One of --check and --update, once.") }
                bands = try Self.value(of: word, &rest)
                updates = word == "--update"
            case "--rebase": rebases = true
            default: throw Invalid(description: "Unknown argument: \(word)")
            }
        }
        guard updates || !rebases else { throw Invalid(description: "--rebase needs --update FILE.") }
        bandUse = rebases ? .replace : updates ? .widen : .check
    }

    private static func value(of word: String, _ rest: inout ArraySlice<String>) throws(Invalid) -> String {
        guard let value = rest.popFirst() else { throw Invalid(description: "\(word) needs a value.") }
        return value
    }
}
