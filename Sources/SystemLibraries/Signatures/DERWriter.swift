/// Writes DER elements (X.690).
enum DERWriter {
    static func element(_ tag: DERReader.Tag, _ contents: [UInt8]) -> [UInt8] {
        guard contents.count >= 0x80 else { return [tag.rawValue, UInt8(contents.count)] + contents }
        let length = withUnsafeBytes(of: contents.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag.rawValue, 0x80 | UInt8(length.count)] + length + contents
    }

    static func sequence(_ contents: [UInt8]) -> [UInt8] { element(.sequence, contents) }

    /// A positive INTEGER: without leading zeros, except one if the first bit would make it negative.
    static func integer(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let isPositive = digits.first.map { $0 < 0x80 } ?? false
        return element(.integer, isPositive ? digits : [0] + digits)
    }
}
