/// The statements of a text, separated by semicolons.
struct SQLScript {
    /// One statement.
    struct Statement: Equatable {
        /// The text, without the semicolon.
        let text: String
        /// Where it starts in the script, in bytes.
        let offset: Int
        let parameterCount: Int
    }

    private(set) var statements: [Statement] = []

    /// Splits a script. Never fails: a mistake is found by the store that runs the statement.
    init(_ text: String) {
        var scanner = SQLScanner(text)
        var state = State()
        var range: Range<Int>?
        while let token = scanner.next() {
            if state.ends(at: token, scanner) {
                append(range, scanner)
                range = nil
                state = State()
            } else if token != .semicolon || range != nil {
                range = (range?.lowerBound ?? scanner.start)..<scanner.position
            }
        }
        append(range, scanner)
    }

    private mutating func append(_ range: Range<Int>?, _ scanner: SQLScanner) {
        guard let range else { return }
        let text = scanner.text(range)
        statements.append(
            Statement(text: text, offset: range.lowerBound, parameterCount: ParameterNames(of: text).count))
    }

    /// State machine that finds a statement's end. A trigger ends with `; END ;`, any other statement with `;`.
    ///
    /// - start: `EXPLAIN`, `QUERY`, `PLAN` stay; `CREATE` to create; any other token to plain
    /// - create: `TEMP`, `TEMPORARY` stay; `TRIGGER` to body; any other token to plain
    /// - body: `;` to semicolon; any other token stays
    /// - semicolon: `;` stays; `END` to end; any other token to body
    /// - end: `;` ends the statement; any other token to body
    /// - plain: `;` ends the statement
    private struct State {
        private enum Phase { case start, create, plain, body, semicolon, end }
        private var phase = Phase.start

        mutating func ends(at token: SQLScanner.Token, _ scanner: SQLScanner) -> Bool {
            let isSemicolon = token == .semicolon
            let word: String? = if case .word(let range) = token { scanner.text(range).asciiUppercased } else { nil }
            switch phase {
            case .start, .create, .plain:
                if isSemicolon { return true }
                phase = next(word)
            case .body: phase = isSemicolon ? .semicolon : .body
            case .semicolon: phase = isSemicolon ? .semicolon : word == "END" ? .end : .body
            case .end:
                if isSemicolon { return true }
                phase = .body
            }
            return false
        }

        private func next(_ word: String?) -> Phase {
            switch (phase, word) {
            case (.start, "EXPLAIN"), (.start, "QUERY"), (.start, "PLAN"): .start
            case (.start, "CREATE"), (.create, "TEMP"), (.create, "TEMPORARY"): .create
            case (.create, "TRIGGER"): .body
            default: .plain
            }
        }
    }
}
