import Foundation

/// The bands of ratios that a file keeps: the middle halves of the rounds of earlier runs.
struct FigureBands {
    private struct Band: Codable {
        var low: Double
        var high: Double
        /// The least ratio that passes: rounds vary, so a fifth of the band below it is no fall.
        var floor: Double { low - (high - low) / 5 }
    }

    private let path: String

    init(path: String) { self.path = path }

    /// Compares a report with the bands, or writes them.
    ///
    /// A ratio below its band is measured again, since another process may have disturbed one run.
    /// - Returns: false if a ratio was below its band twice.
    func accept(_ report: Report, of harness: Harness) async throws -> Bool {
        guard !harness.arguments.updatesBands else {
            try write(report)
            return true
        }
        let bands = try read()
        guard report.ratios.contains(where: { bands[$0.name] != nil }) else {
            print("\(path) has no band of these groups; write them with --update.")
            return false
        }
        let suspects = fallen(report, bands).map(\.name)
        guard !suspects.isEmpty else { return true }
        print("Again, since these were below their bands: \(suspects.joined(separator: ", "))")
        let fallen = fallen(try await harness.run(), bands).filter { suspects.contains($0.name) }
        for figure in fallen {
            guard let band = bands[figure.name] else { continue }
            print(
                "\(figure.name): ratio \(figure.ratio.text(2)), was \(band.low.text(2)) to \(band.high.text(2)); "
                    + "below \(band.floor.text(2)) in two runs")
        }
        return fallen.isEmpty
    }

    private func fallen(_ report: Report, _ bands: [String: Band]) -> [Figure] {
        report.ratios.filter { figure in bands[figure.name].map { figure.ratio < $0.floor } ?? false }
    }

    private func read() throws -> [String: Band] {
        try JSONDecoder().decode([String: Band].self, from: Data(contentsOf: URL(filePath: path)))
    }

    private func write(_ report: Report) throws {
        var bands = FileManager.default.fileExists(atPath: path) ? try read() : [:]
        for figure in report.ratios {
            guard let low = figure.ratioMiddleHalf.first, let high = figure.ratioMiddleHalf.last else { continue }
            let band = bands[figure.name] ?? Band(low: low, high: high)
            bands[figure.name] = Band(low: min(low, band.low), high: max(high, band.high))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(bands).write(to: URL(filePath: path), options: .atomic)
    }
}
