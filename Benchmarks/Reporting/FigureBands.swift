import Foundation

/// The bands of ratios that a file keeps: the middle halves of the rounds of earlier runs.
struct FigureBands {
    private struct Band: Codable {
        var low: Double
        var high: Double
        /// The least ratio that passes: a fifth below the band.
        var floor: Double { low * 4 / 5 }
        /// Runs of the same code differ by more than a factor of 1.5, so that a fall says nothing: times are short, or
        /// depend on how the system runs the threads. The file keeps the band, and no check uses it.
        var isNoise: Bool { high > 1.5 * low }
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
        let bands = try read().filter { !$1.isNoise }
        let checked = report.ratios.count { bands[key($0)] != nil }
        guard checked > 0 else {
            print("\(path) has no band of these groups; write them with --update.")
            return false
        }
        print("\(checked) of \(report.ratios.count) ratios have a band that is checked.")
        let suspects = fallen(report, bands).map(key)
        guard !suspects.isEmpty else { return true }
        print("Again, since these were below their bands: \(suspects.joined(separator: ", "))")
        let fallen = fallen(try await harness.run(), bands).filter { suspects.contains(key($0)) }
        for figure in fallen {
            guard let band = bands[key(figure)] else { continue }
            print(
                "\(key(figure)): ratio \(figure.ratio.text(2)), was \(band.low.text(2)) to \(band.high.text(2)); "
                    + "below \(band.floor.text(2)) in two runs")
        }
        return fallen.isEmpty
    }

    /// The key of a ratio's band: two ratios of one subject differ in their baselines.
    private func key(_ figure: Figure) -> String { "\(figure.name); against \(figure.baseline)" }

    private func fallen(_ report: Report, _ bands: [String: Band]) -> [Figure] {
        report.ratios.filter { figure in bands[key(figure)].map { figure.ratio < $0.floor } ?? false }
    }

    private func read() throws -> [String: Band] {
        try JSONDecoder().decode([String: Band].self, from: Data(contentsOf: URL(filePath: path)))
    }

    private func write(_ report: Report) throws {
        var bands = FileManager.default.fileExists(atPath: path) ? try read() : [:]
        for figure in report.ratios {
            guard let low = figure.ratioMiddleHalf.first, let high = figure.ratioMiddleHalf.last else { continue }
            let band = bands[key(figure)] ?? Band(low: low, high: high)
            bands[key(figure)] = Band(low: min(low, band.low), high: max(high, band.high))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(bands).write(to: URL(filePath: path), options: .atomic)
    }
}
