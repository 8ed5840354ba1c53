public import Foundation
import HTTPMessages

extension Query {
    /// Parses a query string without its `?`, or an encoded form.
    ///
    /// Accepts any input, like browsers (WHATWG URL, section 5.1): empty items are skipped, a `%` without two
    /// hexadecimal digits is literal, and invalid UTF-8 becomes U+FFFD. The output of ``text(as:)`` round-trips
    /// exactly.
    public init(parsing text: some StringProtocol, as encoding: QueryEncoding = .percent) {
        self.init(parsing: Array(text.utf8), as: encoding)
    }

    init(parsing bytes: [UInt8], as encoding: QueryEncoding) {
        self.init(
            bytes.split(separator: UInt8(ascii: "&")).map { piece in
                guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else {
                    return Item(piece.decoded(as: encoding), nil)
                }
                let value = piece[piece.index(after: equals)...]
                return Item(piece[..<equals].decoded(as: encoding), value.decoded(as: encoding))
            })
    }

    /// The query string without a `?`, or the encoded form. Items with an empty name and no value are omitted.
    public func text(as encoding: QueryEncoding = .percent) -> String {
        let (unescaped, spaceIsPlus) = (encoding.unescaped, encoding == .form)
        // With both separators of each item.
        var capacity = items.count * 2
        // By index: a copy of each item costs more than its encoding.
        for index in items.indices {
            capacity += unescaped.capacity(for: items[index].name, spaceIsPlus: spaceIsPlus)
            if let value = items[index].value { capacity += unescaped.capacity(for: value, spaceIsPlus: spaceIsPlus) }
        }
        return String(unsafeUninitializedCapacity: capacity) { buffer in
            var writer = PercentEncodingWriter(buffer)
            for index in items.indices where !items[index].name.isEmpty || items[index].value != nil {
                if writer.count > 0 { writer.write(UInt8(ascii: "&")) }
                writer.write(items[index].name, except: unescaped, spaceIsPlus: spaceIsPlus)
                guard let value = items[index].value else { continue }
                writer.write(UInt8(ascii: "="))
                writer.write(value, except: unescaped, spaceIsPlus: spaceIsPlus)
            }
            return writer.count
        }
    }

    /// The encoded form in a charset, for servers that do not read UTF-8. A character that the charset lacks becomes a
    /// reference such as `&#8364;`, as in browsers.
    public func data(as encoding: QueryEncoding, in charset: String.Encoding) -> Data {
        Data(bytes(as: encoding, in: charset))
    }

    func bytes(as encoding: QueryEncoding, in charset: String.Encoding = .utf8) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 2 })
        for item in self {
            guard !item.name.isEmpty || item.value != nil else { continue }
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            bytes.append(item.name, as: encoding, in: charset)
            guard let value = item.value else { continue }
            bytes.append(UInt8(ascii: "="))
            bytes.append(value, as: encoding, in: charset)
        }
        return bytes
    }
}
