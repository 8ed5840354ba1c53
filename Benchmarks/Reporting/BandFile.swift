import Foundation

/// A file of bands, which a run is compared with or changes.
struct BandFile {
    /// What a run does with the file.
    enum Use {
        /// Compares its ratios with the bands.
        case check
        /// Widens the bands to its ratios.
        case widen
        /// Replaces the bands by its ratios.
        case replace
    }

    private let path: String
    private let use: Use
    private let current: RunConditions
    private let bands: FigureBands

    /// - Throws: ``Refused`` before anything is measured, if the file is of other conditions.
    init(path: String, use: Use, harness: Harness) throws {
        (self.path, self.use) = (path, use)
        current = try .current(quick: harness.arguments.quick)
        let exists = FileManager.default.fileExists(atPath: path)
        guard exists || use != .check else {
            throw Refused(description: "There is no file \(path); write one with --update.")
        }
        guard exists, use != .replace || !harness.runsAll else {
            bands = FigureBands(conditions: current)
            return
        }
        bands = try JSONDecoder().decode(FigureBands.self, from: Data(contentsOf: URL(filePath: path)))
        guard use == .check ? bands.conditions.quick == current.quick : bands.conditions == current else {
            let remedy =
                use == .check
                ? "\(current.quick ? "omit" : "add") --quick" : "replace all bands with --rebase, without --filter"
            throw Refused(
                description: "The bands of \(path) are of \(bands.conditions), this is \(current); \(remedy).")
        }
    }

    /// Compares a report with the bands, or writes them.
    /// - Returns: false if a ratio was below its band in two runs, or was not measured.
    func accept(_ report: Report, of harness: Harness) async throws -> Bool {
        guard use == .check else {
            try write(report)
            return true
        }
        let missing = harness.runsAll ? bands.missing(report.ratios) : []
        for key in missing {
            print("\(key): not measured; delete its band in \(path) if the benchmark is gone or has another name.")
        }
        let unknown = bands.unknown(report.ratios)
        for key in unknown { print("\(key): no band, not checked; add it with --update.") }
        print("\(report.ratios.count - unknown.count) of \(report.ratios.count) ratios were checked.")
        let passed = try await hasNoFall(report, harness)
        return passed && missing.isEmpty
    }

    /// Measures the groups of ratios below their bands again, in nine rounds, since a process may have disturbed one.
    private func hasNoFall(_ report: Report, _ harness: Harness) async throws -> Bool {
        let suspects = bands.fallen(report.ratios)
        guard !suspects.isEmpty else { return true }
        guard bands.conditions == current else {
            printFalls(suspects)
            print("These falls do not fail the check: the bands are of \(bands.conditions), this is \(current).")
            return true
        }
        let keys = suspects.map(FigureBands.key)
        print("Again, since these were below their bands: \(keys.joined(separator: ", "))")
        var again = harness
        again.arguments.filters = Set(suspects.map(\.group)).sorted()
        // One short round says little; what the code has lost is missing in most rounds.
        again.fixedRounds = 9
        let fallen = bands.fallen(try await again.run().ratios).filter { keys.contains(FigureBands.key($0)) }
        printFalls(fallen)
        return fallen.isEmpty
    }

    private func printFalls(_ figures: [Figure]) {
        for figure in figures {
            guard let band = bands[figure] else { continue }
            print(
                "\(FigureBands.key(figure)): ratio \(figure.ratio.asRatio), was \(band.low.asRatio) to "
                    + "\(band.high.asRatio); the least that passes is \(band.floor.asRatio)")
        }
    }

    private func write(_ report: Report) throws {
        var bands = bands
        bands.update(report.ratios, replacing: use == .replace)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(bands).write(to: URL(filePath: path), options: .atomic)
    }

    /// A file that cannot be used for this run.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }
}
