import Foundation

extension JSONTape {
    func url(at position: TapePosition) throws -> URL {
        guard entries[position.index].kind != .null else { throw mismatch(URL.self, at: position) }
        guard let url = URL(string: try string(at: position)) else {
            throw corrupted(URL.self, at: position, "Invalid URL string.")
        }
        return url
    }

    func data(at position: TapePosition) throws -> Data {
        switch coding.data {
        case .deferredToData: return try Data(from: TapeDecoder(self, position))
        case .custom(let decode, _): return try decode(TapeDecoder(self, position))
        case .base64:
            guard entries[position.index].kind != .null else { throw mismatch(Data.self, at: position) }
            guard let data = Data(base64Encoded: try string(at: position)) else {
                throw corrupted(Data.self, at: position, "Encountered Data is not valid Base64.")
            }
            return data
        }
    }

    func date(at position: TapePosition) throws -> Date {
        if case .custom(let decode, _) = coding.dates { return try decode(TapeDecoder(self, position)) }
        guard entries[position.index].kind != .null else { throw mismatch(Date.self, at: position) }
        do {
            return try date(in: coding.dates, at: position)
        } catch let error as DecodingError {
            throw error.with(problem: "is not a Date of \(coding.dates.advice)")
        }
    }

    private func date(in form: JSONCoding.Dates, at position: TapePosition) throws -> Date {
        switch form {
        case .deferredToDate: return Date(timeIntervalSinceReferenceDate: try double(at: position))
        case .secondsSince1970: return Date(timeIntervalSince1970: try double(at: position))
        case .millisecondsSince1970: return Date(timeIntervalSince1970: try double(at: position) / 1000)
        case .iso8601, .iso8601WithMilliseconds:
            let entry = entries[position.index]
            if entry.kind == .string, let date = ISO8601.date(bytes(of: entry)) { return date }
            var text = try string(at: position)
            // With escape sequences.
            if let date = text.withUTF8({ ISO8601.date($0) }) { return date }
            // What Foundation accepts beyond RFC 3339.
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw corrupted(Date.self, at: position, "Expected date string to be ISO8601-formatted.")
            }
            return date
        case .formatted(let formatter):
            guard let date = formatter.date(from: try string(at: position)) else {
                throw corrupted(Date.self, at: position, "Date string does not match format expected by formatter.")
            }
            return date
        case .custom(let decode, _):
            return try decode(TapeDecoder(self, position))
        }
    }

    /// The value as any JSON, nested as deep as that may be.
    func jsonValue(at position: TapePosition) throws -> JSONValue { try jsonValue(at: position, depth: 0) }

    private func jsonValue(at position: TapePosition, depth: Int) throws -> JSONValue {
        let index = position.index
        let entry = entries[index]
        switch entry.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .integer: return .integer(Int64(bitPattern: entry.payload))
        case .unsigned: return .number(Double(entry.payload))
        case .real: return .number(Double(bitPattern: entry.payload))
        case .number:
            // As parsing: infinity is an error, zero is not.
            guard let value = JSONDecimal.double(of: number(at: index)), value.isFinite else {
                throw doesNotFit(JSONValue.self, at: position)
            }
            return .number(value)
        case .string, .escapedString: return .string(string(of: entry))
        case .array, .object:
            guard depth < JSONScanner.maximumDepth else {
                throw corrupted(
                    JSONValue.self, at: position, "JSON nested more than \(JSONScanner.maximumDepth) levels deep.")
            }
            return entry.kind == .array
                ? .array(try jsonElements(of: index, depth: depth + 1))
                : .object(try jsonMembers(of: index, depth: depth + 1))
        }
    }

    private func jsonElements(of array: Int, depth: Int) throws -> [JSONValue] {
        let entry = entries[array]
        var elements: [JSONValue] = []
        elements.reserveCapacity(entry.count)
        var next = array + 2
        while next < entry.end {
            let place = TapePosition(index: next, container: array, ordinal: elements.count)
            elements.append(try jsonValue(at: place, depth: depth))
            next = self.next(after: next)
        }
        return elements
    }

    private func jsonMembers(of object: Int, depth: Int) throws -> [String: JSONValue] {
        let entry = entries[object]
        var members = [String: JSONValue](minimumCapacity: entry.count)
        var next = object + 2
        while next < entry.end {
            let name = string(of: entries[next])
            let place = TapePosition(index: next + 1, container: object, ordinal: 0)
            if members[name] == nil { members[name] = try jsonValue(at: place, depth: depth) }
            next = self.next(after: next + 1)
        }
        return members
    }
}

extension JSONCoding.Dates {
    /// The form as it is set, and another one for other JSON.
    fileprivate var advice: String {
        switch self {
        case .deferredToDate: Self.advice("deferredToDate", or: "iso8601")
        case .secondsSince1970: Self.advice("secondsSince1970", or: "iso8601")
        case .millisecondsSince1970: Self.advice("millisecondsSince1970", or: "iso8601")
        case .iso8601: Self.advice("iso8601", or: "secondsSince1970")
        case .iso8601WithMilliseconds: Self.advice("iso8601WithMilliseconds", or: "secondsSince1970")
        case .formatted: Self.advice("formatted", or: "iso8601")
        case .custom: "`dates = .custom`"
        }
    }

    private static func advice(_ form: String, or other: String) -> String {
        "`dates = .\(form)`; another form is `JSONFormat { $0.dates = .\(other) }`"
    }
}
