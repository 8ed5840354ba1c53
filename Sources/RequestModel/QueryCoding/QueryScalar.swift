import Foundation
import HTTPMessages

/// A value with one text in a query.
protocol QueryScalar {
    /// The text; nil if the value has none, such as infinity.
    func queryText(_ style: QueryStyle) -> String?
    /// Creates the value of a text; nil if it has none.
    init?(queryText: String, _ style: QueryStyle)
}

extension QueryScalar where Self: FixedWidthInteger {
    func queryText(_ style: QueryStyle) -> String? { String(self) }
    init?(queryText: String, _ style: QueryStyle) { self.init(queryText) }
}

extension QueryScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
    func queryText(_ style: QueryStyle) -> String? { isFinite ? description : nil }
    init?(queryText: String, _ style: QueryStyle) {
        guard let value = Self(queryText), value.isFinite else { return nil }
        self = value
    }
}

extension Int: QueryScalar {}
extension Int8: QueryScalar {}
extension Int16: QueryScalar {}
extension Int32: QueryScalar {}
extension Int64: QueryScalar {}
extension Int128: QueryScalar {}
extension UInt: QueryScalar {}
extension UInt8: QueryScalar {}
extension UInt16: QueryScalar {}
extension UInt32: QueryScalar {}
extension UInt64: QueryScalar {}
extension UInt128: QueryScalar {}
extension Double: QueryScalar {}
extension Float: QueryScalar {}

extension String: QueryScalar {
    func queryText(_ style: QueryStyle) -> String? { self }
    init?(queryText: String, _ style: QueryStyle) { self = queryText }
}

extension Bool: QueryScalar {
    func queryText(_ style: QueryStyle) -> String? {
        switch style.booleans {
        case .words: self ? "true" : "false"
        case .numbers: self ? "1" : "0"
        }
    }

    init?(queryText: String, _ style: QueryStyle) {
        switch queryText {
        case "true", "1": self = true
        case "false", "0": self = false
        default: return nil
        }
    }
}

extension Decimal: QueryScalar {
    func queryText(_ style: QueryStyle) -> String? { isFinite ? description : nil }
    init?(queryText: String, _ style: QueryStyle) {
        // Foundation reads the start of any text: the whole one is checked by the form of a number.
        guard Double(queryText)?.isFinite == true, !queryText.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") })
        else { return nil }
        guard let value = Decimal(string: queryText, locale: Locale(identifier: "en_US_POSIX")), value.isFinite else {
            return nil
        }
        self = value
    }
}

extension URL: QueryScalar {
    func queryText(_ style: QueryStyle) -> String? { absoluteString }
    init?(queryText: String, _ style: QueryStyle) { self.init(string: queryText) }
}

extension Data: QueryScalar {
    func queryText(_ style: QueryStyle) -> String? {
        let text = base64EncodedString()
        guard style.bytes == .base64URL else { return text }
        let bytes = text.utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: Array(bytes), as: UTF8.self)
    }

    init?(queryText: String, _ style: QueryStyle) {
        guard style.bytes == .base64URL else {
            self.init(base64Encoded: queryText)
            return
        }
        let text = queryText.replacing("-", with: "+").replacing("_", with: "/")
        let count = text.utf8.count
        self.init(base64Encoded: text + String(repeating: "=", count: (4 - count % 4) % 4))
    }
}

extension Date: QueryScalar {
    func queryText(_ style: QueryStyle) -> String? {
        switch style.dates {
        case .iso8601: return rfc3339(rounded: .toNearestOrAwayFromZero, omitsZeros: true)
        case .secondsSince1970: return Self.text(timeIntervalSince1970)
        case .millisecondsSince1970: return Self.text((timeIntervalSince1970 * 1000).rounded())
        }
    }

    init?(queryText: String, _ style: QueryStyle) {
        if style.dates == .iso8601 {
            self.init(iso8601: queryText)
            return
        }
        guard let number = Double(queryText), number.isFinite else { return nil }
        self.init(timeIntervalSince1970: style.dates == .secondsSince1970 ? number : number / 1000)
    }

    /// The number, without a fraction of zero.
    private static func text(_ number: Double) -> String? {
        guard number.isFinite else { return nil }
        return Int64(exactly: number).map(String.init) ?? number.description
    }
}
