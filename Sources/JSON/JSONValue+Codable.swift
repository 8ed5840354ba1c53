extension JSONValue: Codable {
    /// Decodes any value.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            try Self.checkDepth(of: decoder)
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
            try Self.checkDepth(of: decoder)
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    /// Fails for an array or an object within too many others.
    private static func checkDepth(of decoder: any Decoder) throws {
        guard decoder.codingPath.count < JSONScanner.maximumDepth else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: tooDeep))
        }
    }

    private static var tooDeep: String { "JSON nested more than \(JSONScanner.maximumDepth) levels deep." }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        if array != nil || object != nil, encoder.codingPath.count >= JSONScanner.maximumDepth {
            throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: Self.tooDeep))
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
