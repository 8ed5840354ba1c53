import HTTPMessages

/// Percent-encoding of query and form values, as JavaScript's `encodeURIComponent`, which the vendor's server expects.
///
/// Letters, digits and `-_.!~*'()` are kept, all other bytes of the UTF-8 are encoded, once. So an adapter's
/// `['value1']` keeps its quotes.
enum URIComponent {
    /// Encodes a text.
    static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if keeps(byte) { bytes.append(byte) } else { bytes.append(percentEncoded: byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func keeps(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-_.!~*'()".utf8.contains(byte)
        }
    }
}
