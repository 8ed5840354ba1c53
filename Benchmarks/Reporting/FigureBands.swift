import Foundation

/// The ratios of earlier runs, each as a band, and the conditions of these runs.
struct FigureBands: Codable {
    /// The middle halves of the rounds of all runs.
    struct Band: Codable {
        var low: Double
        var high: Double

        /// The least ratio that passes: a fifth below the band.
        ///
        /// Some ratios of the same code differ by more than a factor of 1.5, since their times are short, or depend on
        /// how the system runs the threads: they pass down to half of the band's low end.
        var floor: Double { high > 1.5 * low ? low / 2 : low * 4 / 5 }

        /// The least band that contains both.
        func union(_ other: Band) -> Band { Band(low: min(low, other.low), high: max(high, other.high)) }
    }

    /// The conditions under which all bands were measured.
    let conditions: RunConditions
    private var bands: [String: Band] = [:]

    init(conditions: RunConditions) { self.conditions = conditions }

    /// The key of a ratio's band: two ratios of one subject differ in their baselines.
    static func key(_ figure: Figure) -> String { "\(figure.name); against \(figure.baseline)" }

    subscript(figure: Figure) -> Band? { bands[Self.key(figure)] }

    /// The figures with ratios below the floor of their band, in three of four rounds.
    func fallen(_ figures: [Figure]) -> [Figure] {
        figures.filter { figure in
            guard let band = self[figure] else { return false }
            // A ratio that is not a number has fallen too.
            return !(figure.ratioMiddleHalf.last.map { $0 >= band.floor } ?? false)
        }
    }

    /// The keys of figures that have no band.
    func unknown(_ figures: [Figure]) -> [String] { figures.filter { self[$0] == nil }.map(Self.key) }

    /// The keys of bands that no figure has.
    func missing(_ figures: [Figure]) -> [String] { Set(bands.keys).subtracting(figures.map(Self.key)).sorted() }

    /// Sets the bands of figures to those of one run, or widens them.
    mutating func update(_ figures: [Figure], replacing: Bool) {
        for figure in figures {
            guard let low = figure.ratioMiddleHalf.first, let high = figure.ratioMiddleHalf.last else { continue }
            let band = Band(low: low, high: high)
            bands[Self.key(figure)] = replacing ? band : self[figure]?.union(band) ?? band
        }
    }
}
