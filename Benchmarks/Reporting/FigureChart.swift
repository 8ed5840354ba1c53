import Foundation

/// A chart of ratios: a line for each figure, with the middle half of its rounds and its median.
///
/// The scale is logarithmic, so that half as fast and twice as fast are equally far from 1.
struct FigureChart {
    private static let (left, width, height, top) = (420.0, 480.0, 22.0, 40.0)
    private let figures: [Figure]
    /// The exponents of 2 at both ends of the scale.
    private let (low, high): (Double, Double)

    init(_ figures: [Figure]) {
        self.figures = figures.filter { $0.ratio > 0 && $0.ratio.isFinite }
        let exponents = self.figures.flatMap { $0.ratioMiddleHalf + [$0.ratio] }.filter { $0 > 0 }.map(log2)
        low = min(-1, (exponents.min() ?? 0).rounded(.down))
        high = max(1, (exponents.max() ?? 0).rounded(.up))
    }

    func write(to path: String) throws { try svg.write(toFile: path, atomically: true, encoding: .utf8) }

    private var svg: String {
        let size = (Self.left + Self.width + 60, Self.top + Self.height * Double(figures.count) + 20)
        let lines = figures.enumerated().map { line($1, at: Self.top + Self.height * (Double($0) + 0.5)) }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(size.0.text(0))" height="\(size.1.text(0))" \
            font-family="sans-serif" font-size="11">
            <rect width="100%" height="100%" fill="white"/>
            \(ticks(to: size.1 - 20))
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    private func x(_ ratio: Double) -> Double {
        Self.left + (log2(max(ratio, 1e-9)) - low) / (high - low) * Self.width
    }

    private func ticks(to bottom: Double) -> String {
        stride(from: low, through: high, by: 1).map { exponent in
            let ratio = exp2(exponent)
            let (x, color) = (x(ratio).text(1), exponent == 0 ? "black" : "#ccc")
            let label = exponent < 0 ? "1/\(exp2(-exponent).text(0))" : ratio.text(0)
            return """
                <line x1="\(x)" y1="\(Self.top.text(0))" x2="\(x)" y2="\(bottom.text(0))" stroke="\(color)"/>
                <text x="\(x)" y="\((Self.top - 8).text(0))" text-anchor="middle">\(label)</text>
                """
        }.joined(separator: "\n")
    }

    private func line(_ figure: Figure, at y: Double) -> String {
        let first = x(figure.ratioMiddleHalf.first ?? figure.ratio)
        let last = x(figure.ratioMiddleHalf.last ?? figure.ratio)
        let color = figure.ratio < 1 ? "#b5482a" : "#2a6bb5"
        return """
            <text x="\((Self.left - 10).text(0))" y="\((y + 4).text(1))" text-anchor="end">\(escaped(figure.name))</text>
            <line x1="\(first.text(1))" y1="\(y.text(1))" x2="\(last.text(1))" y2="\(y.text(1))" \
            stroke="\(color)" stroke-width="6" stroke-opacity="0.35"/>
            <circle cx="\(x(figure.ratio).text(1))" cy="\(y.text(1))" r="4" fill="\(color)">\
            <title>\(figure.ratio.asRatio) against \(escaped(figure.baseline))</title></circle>
            """
    }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
