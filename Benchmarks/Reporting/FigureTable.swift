/// Results as tables in Markdown.
struct FigureTable {
    private let figures: [Figure]
    private let others: [any Finding]

    init(_ figures: [Figure], others: [any Finding]) {
        self.figures = figures
        self.others = others
    }

    var text: String { [ratios, measurements].filter { !$0.isEmpty }.joined(separator: "\n\n") }

    private var ratios: String {
        table(
            ["benchmark", "each", "against", "its time", "ratio", "half of all rounds"],
            figures.map { figure in
                let middle = figure.ratioMiddleHalf.map(\.asRatio).joined(separator: " to ")
                return [
                    figure.name, figure.secondsPerOperation.asTime, figure.baseline,
                    figure.baselineSecondsPerOperation.asTime, figure.ratio.asRatio, middle,
                ]
            })
    }

    private var measurements: String {
        table(["measurement", "result"], others.map { [$0.title, $0.lines.joined(separator: "; ")] })
    }

    private func table(_ head: [String], _ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { line in
            "| " + line.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }.joined(separator: "\n")
    }
}
