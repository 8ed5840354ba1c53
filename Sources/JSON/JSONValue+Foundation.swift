import Foundation

extension JSONValue {
    /// Converts a Foundation JSON object, as legacy APIs pass it.
    /// - Throws: ``JSONError`` (`invalidValue`) for values that JSON cannot represent, numbers from 10^15 on whose
    ///   digits neither an `Int64` nor a `Double` holds, and nesting beyond 100 levels.
    package init(foundation object: Any) throws(JSONError) { try self.init(object, depth: 0) }

    private init(_ object: Any, depth: Int) throws(JSONError) {
        guard depth <= JSONScanner.maximumDepth else {
            throw JSONError(
                .invalidValue, "JSON nested more than \(JSONScanner.maximumDepth) levels deep; flatten the object.")
        }
        switch object {
        case let value as AnyHashable where type(of: object) == AnyHashable.self:
            self = try JSONValue(value.base, depth: depth)
        case let value as JSONValue: self = value
        case let value as String: self = .string(value)
        case let value as Bool where type(of: object) == Bool.self: self = .bool(value)
        case let value as Int8 where type(of: object) == Int8.self: self = .integer(Int64(value))
        case let value as [String: Any]:
            var members: [String: JSONValue] = [:]
            for (name, member) in value { members[name] = try JSONValue(member, depth: depth + 1) }
            self = .object(members)
        case let value as [Any]:
            var elements: [JSONValue] = []
            for element in value { elements.append(try JSONValue(element, depth: depth + 1)) }
            self = .array(elements)
        case is NSNull: self = .null
        case let value as NSNumber: self = try JSONValue(number: value)
        case Optional<Any>.none: self = .null
        case is [AnyHashable: Any]:
            throw JSONError(.invalidValue, "JSON object keys must be strings; use `String` keys.")
        default:
            throw JSONError(
                .invalidValue,
                "Cannot encode type \(type(of: object)) as JSON; use dictionaries, arrays, strings and numbers."
            )
        }
    }

    private init(number: NSNumber) throws(JSONError) {
        if let number = number as? NSDecimalNumber {
            self = try JSONValue(decimal: number.decimalValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "B"): self = .bool(number.boolValue)
        // NSNumber stores Bool as a signed char. Apple's Foundation uses a separate class for Bool; on Linux it cannot
        // be distinguished from Int8.
        case UInt8(ascii: "c") where type(of: number) == type(of: NSNumber(value: true)): self = .bool(number.boolValue)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): self = .number(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > Int64.max:
            self = try JSONValue(decimal: Decimal(number.uint64Value))
        default: self = .integer(number.int64Value)
        }
    }

    /// The number with all its digits.
    private init(decimal: Decimal) throws(JSONError) {
        let text = decimal.description
        let number = Double(text) ?? .nan
        // Foundation makes the decimal 3.140000000000000512 of the literal 3.14.
        let literal = Double(String(format: "%.15g", number)) ?? .nan
        if let integer = Int64(text) {
            self = .integer(integer)
        } else if !number.isFinite || Decimal(string: number.description) == decimal {
            self = .number(number)
        } else if Decimal(literal) == decimal {
            self = .number(literal)
        } else if number.magnitude < 1e15 {
            // A quotient, such as a third: it has at least 15 of its digits.
            self = .number(number)
        } else {
            throw JSONError(.invalidValue, "A number has more digits than a Double holds; use a string.")
        }
    }

    /// The value as a dictionary, array, string, number or `NSNull`.
    package var foundationObject: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .number(let value): value
        case .string(let value): value
        case .array(let elements): elements.map(\.foundationObject)
        case .object(let members): members.mapValues(\.foundationObject)
        }
    }
}
