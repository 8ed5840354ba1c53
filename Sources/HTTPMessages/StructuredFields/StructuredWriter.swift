import Foundation

/// Writer of structured fields (RFC 9651, section 4.1).
struct StructuredWriter {
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes the separator of members.
    mutating func separate() { bytes += ", ".utf8 }

    /// Writes what stands between the key and the member of a dictionary.
    mutating func assign() { bytes.append(UInt8(ascii: "=")) }

    mutating func write(_ member: StructuredMember) throws(HTTPMessageError) {
        switch member {
        case .item(let item): try write(item)
        case .innerList(let list):
            bytes.append(UInt8(ascii: "("))
            for (index, item) in list.items.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: " ")) }
                try write(item)
            }
            bytes.append(UInt8(ascii: ")"))
            try write(list.parameters)
        }
    }

    mutating func write(_ item: StructuredItem) throws(HTTPMessageError) {
        try write(item.value)
        try write(item.parameters)
    }

    mutating func write(_ parameters: StructuredParameters) throws(HTTPMessageError) {
        for parameter in parameters {
            bytes.append(UInt8(ascii: ";"))
            try write(key: parameter.key)
            guard parameter.value != .bool(true) else { continue }
            assign()
            try write(parameter.value)
        }
    }

    mutating func write(key: String) throws(HTTPMessageError) {
        guard key.utf8.first?.startsStructuredKey == true, key.utf8.allSatisfy(\.isInStructuredKey) else {
            throw fault("the key \(key.prefix(80).debugDescription); use letters in lower case, digits and _-.*")
        }
        bytes += key.utf8
    }

    private mutating func write(_ value: StructuredValue) throws(HTTPMessageError) {
        switch value {
        case .integer(let number): try write(integer: number)
        case .decimal(let number): try write(decimal: number)
        case .string(let text):
            guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw fault("a string that is not printable ASCII; use a display string")
            }
            bytes += text.quotedString.utf8
        case .token(let text):
            guard text.utf8.first?.startsStructuredToken == true, text.utf8.allSatisfy(\.isInStructuredToken) else {
                throw fault("a token with other characters than letters, digits and !#$%&'*+-.^_`|~:/; use a string")
            }
            bytes += text.utf8
        case .bytes(let data): bytes += ":\(data.base64EncodedString()):".utf8
        case .bool(let value): bytes += (value ? "?1" : "?0").utf8
        case .date(let date):
            let seconds = date.timeIntervalSince1970.rounded(.down)
            guard abs(seconds) < 1e15 else { throw fault("a date of more than 15 digits") }
            bytes.append(UInt8(ascii: "@"))
            try write(integer: Int64(seconds))
        case .displayString(let text): write(displayString: text)
        }
    }

    private mutating func write(integer: Int64) throws(HTTPMessageError) {
        guard integer.magnitude < 1_000_000_000_000_000 else { throw fault("an integer of more than 15 digits") }
        bytes += String(integer).utf8
    }

    private mutating func write(decimal: Decimal) throws(HTTPMessageError) {
        var (exact, rounded) = (decimal, Decimal())
        NSDecimalRound(&rounded, &exact, 3, .bankers)
        guard rounded.isFinite, abs(rounded) < 1_000_000_000_000 else {
            throw fault("a decimal that is not finite, or of more than 12 digits before the period")
        }
        let thousandths = NSDecimalNumber(decimal: rounded * 1000).int64Value
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        var digits = String(rest + 1000).dropFirst()
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        bytes += "\(thousandths < 0 ? "-" : "")\(whole).\(digits)".utf8
    }

    private mutating func write(displayString text: String) {
        bytes += "%\"".utf8
        for byte in text.utf8 {
            if (0x20...0x7E).contains(byte), byte != UInt8(ascii: "%"), byte != UInt8(ascii: "\"") {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += (String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)).utf8
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private func fault(_ problem: String) -> HTTPMessageError {
        HTTPMessageError(.invalidStructuredField, "Cannot write a structured field with \(problem).")
    }
}
