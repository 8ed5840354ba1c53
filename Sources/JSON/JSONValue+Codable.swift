extension JSONValue: Codable {
    /// Decodes any value.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= JSONScanner.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: [], debugDescription: "JSON nested more than \(JSONScanner.maximumDepth) levels deep."
                ))
        }
        if let container = try? decoder.container(keyedBy: AnyKey.self) {
            var members: [String: JSONValue] = [:]
            for key in container.allKeys {
                members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
            }
            self = .object(members)
            return
        }
        if var container = try? decoder.unkeyedContainer() {
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

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= JSONScanner.maximumDepth else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: [], debugDescription: "JSON nested more than \(JSONScanner.maximumDepth) levels deep."
                ))
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
