/// Encoder of names that are not ASCII (RFC 3492), for names that are normalized already.
enum Punycode {
    private static let base = 36
    private static let minimumThreshold = 1
    private static let maximumThreshold = 26
    private static let skew = 38
    private static let damp = 700

    /// The labels of a name in ASCII, such as `xn--fiqs8s`; nil for an invalid name: an empty or long label, or ASCII
    /// that is not allowed in a host.
    static func asciiName(_ name: Substring) -> String? {
        var labels: [String] = []
        for label in name.split(separator: ".", omittingEmptySubsequences: false) {
            let scalars = Array(label.unicodeScalars)
            guard !scalars.isEmpty, scalars.count <= 63,
                scalars.allSatisfy({ !$0.isASCII || $0.isHostLetter }),
                let text = scalars.allSatisfy(\.isASCII) ? String(label) : encode(scalars).map({ "xn--" + $0 }),
                text.utf8.count <= 63
            else { return nil }
            labels.append(text)
        }
        return labels.joined(separator: ".")
    }

    /// Encodes one label, without its prefix; nil on overflow.
    static func encode(_ label: [Unicode.Scalar]) -> String? {
        let basic = label.filter(\.isASCII)
        var output = String(String.UnicodeScalarView(basic))
        if !basic.isEmpty { output.append("-") }
        var handled = basic.count
        var (scalar, delta, bias) = (0x80, 0, 72)
        while handled < label.count {
            guard let next = label.map({ Int($0.value) }).filter({ $0 >= scalar }).min() else { return nil }
            let (step, overflow) = (next - scalar).multipliedReportingOverflow(by: handled + 1)
            guard !overflow else { return nil }
            delta += step
            scalar = next
            for value in label.map({ Int($0.value) }) {
                if value < scalar { delta += 1 }
                guard value == scalar else { continue }
                write(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            scalar += 1
        }
        return output
    }

    /// Writes a number of digits in base 36 whose thresholds depend on the bias.
    private static func write(_ number: Int, bias: Int, to output: inout String) {
        var rest = number
        var position = base
        while true {
            let threshold = min(max(position - bias, minimumThreshold), maximumThreshold)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / damp : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - minimumThreshold) * maximumThreshold / 2 {
            delta /= base - minimumThreshold
            steps += base
        }
        return steps + (base - minimumThreshold + 1) * delta / (delta + skew)
    }

    private static func digit(_ value: Int) -> Character {
        Character(Unicode.Scalar(UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26)))
    }
}

extension Unicode.Scalar {
    fileprivate var isHostLetter: Bool {
        switch self {
        case "a"..."z", "0"..."9", "-", "_": true
        default: false
        }
    }
}
