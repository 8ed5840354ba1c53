import Foundation

extension JSONTape {
    /// Decodes a value of any type.
    ///
    /// Common types are read without a decoder: the results are the same, and a decoder costs more than a number does.
    @inline(__always)
    func value<Value: Decodable>(_ type: Value.Type, at position: TapePosition) throws -> Value {
        switch entries[position.index].kind {
        case .object:
            if Value.self == JSONValue.self { return unsafeBitCast(try jsonValue(at: position), to: Value.self) }
            if Value.self == Date.self { return unsafeBitCast(try date(at: position), to: Value.self) }
            if Value.self == Data.self { return unsafeBitCast(try self.data(at: position), to: Value.self) }
            if Value.self == Decimal.self { return unsafeBitCast(try decimal(at: position), to: Value.self) }
            if Value.self == URL.self { return unsafeBitCast(try url(at: position), to: Value.self) }
            if convertsKeys, Value.self is any StringKeyedDictionary.Type {
                return try keepingKeys(of: position.index) { try Value(from: TapeDecoder(self, position)) }
            }
        case .array:
            if Value.self == [Double].self { return unsafeBitCast(try doubles(at: position), to: Value.self) }
            if Value.self == [Int].self { return unsafeBitCast(try integers(at: position), to: Value.self) }
            if Value.self == [String].self { return unsafeBitCast(try strings(at: position), to: Value.self) }
            return try decodedArray(type, at: position)
        case .string, .escapedString:
            if Value.self == String.self { return unsafeBitCast(try string(at: position), to: Value.self) }
            return try decodedScalar(type, at: position)
        case .null, .false, .true, .integer, .unsigned, .real, .number:
            if Value.self == Double.self { return unsafeBitCast(try double(at: position), to: Value.self) }
            if Value.self == Int.self { return unsafeBitCast(try integer(Int.self, at: position), to: Value.self) }
            return try decodedScalar(type, at: position)
        }
        return try Value(from: TapeDecoder(self, position))
    }

    @inline(never)
    private func decodedArray<Value: Decodable>(_ type: Value.Type, at position: TapePosition) throws -> Value {
        if Value.self == JSONValue.self { return unsafeBitCast(try jsonValue(at: position), to: Value.self) }
        if Value.self == Date.self { return unsafeBitCast(try date(at: position), to: Value.self) }
        if Value.self == Data.self { return unsafeBitCast(try self.data(at: position), to: Value.self) }
        if Value.self == Decimal.self { return unsafeBitCast(try decimal(at: position), to: Value.self) }
        if Value.self == URL.self { return unsafeBitCast(try url(at: position), to: Value.self) }
        return try Value(from: TapeDecoder(self, position))
    }

    @inline(never)
    private func decodedScalar<Value: Decodable>(_ type: Value.Type, at position: TapePosition) throws -> Value {
        // Each of these types is compared before its value is cast, so the two types are the same.
        if Value.self == String.self { return unsafeBitCast(try string(at: position), to: Value.self) }
        if Value.self == Double.self { return unsafeBitCast(try double(at: position), to: Value.self) }
        if Value.self == Int.self { return unsafeBitCast(try integer(Int.self, at: position), to: Value.self) }
        if Value.self == Bool.self { return unsafeBitCast(try bool(at: position), to: Value.self) }
        if Value.self == Date.self { return unsafeBitCast(try date(at: position), to: Value.self) }
        if Value.self == URL.self { return unsafeBitCast(try url(at: position), to: Value.self) }
        if Value.self == Data.self { return unsafeBitCast(try self.data(at: position), to: Value.self) }
        if Value.self == Decimal.self { return unsafeBitCast(try decimal(at: position), to: Value.self) }
        if Value.self == JSONValue.self { return unsafeBitCast(try jsonValue(at: position), to: Value.self) }
        return try Value(from: TapeDecoder(self, position))
    }

    // MARK: Scalars

    @inline(__always)
    func bool(at position: TapePosition) throws -> Bool {
        switch entries[position.index].kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, at: position)
        }
    }

    @inline(__always)
    func string(at position: TapePosition) throws -> String {
        let entry = entries[position.index]
        guard entry.kind == .string else { return try escapedString(at: position) }
        return String(decoding: bytes(of: entry), as: UTF8.self)
    }

    @inline(never)
    private func escapedString(at position: TapePosition) throws -> String {
        let entry = entries[position.index]
        guard entry.kind == .escapedString else { throw mismatch(String.self, at: position) }
        return string(of: entry)
    }

    @inline(__always)
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at position: TapePosition) throws -> Integer {
        let entry = entries[position.index]
        if entry.kind == .integer, let value = Integer(exactly: Int64(bitPattern: entry.payload)) { return value }
        return try unusualInteger(type, at: position)
    }

    @inline(__always)
    func double(at position: TapePosition) throws -> Double {
        let entry = entries[position.index]
        if entry.kind == .real { return Double(bitPattern: entry.payload) }
        if entry.kind == .integer { return Double(Int64(bitPattern: entry.payload)) }
        return try unusualDouble(at: position)
    }

    // MARK: Arrays

    // Not through `Array.init(from:)`, which decodes each element through a container in an existential.

    private func doubles(at position: TapePosition) throws -> [Double] {
        try elements(at: position) { (tape, element) in try tape.double(at: element) }
    }

    private func integers(at position: TapePosition) throws -> [Int] {
        try elements(at: position) { (tape, element) in try tape.integer(Int.self, at: element) }
    }

    private func strings(at position: TapePosition) throws -> [String] {
        try elements(at: position) { (tape, element) in try tape.string(at: element) }
    }

    @inline(__always)
    private func elements<Element>(
        at position: TapePosition, _ element: (JSONTape, TapePosition) throws -> Element
    ) throws -> [Element] {
        let array = entries[position.index]
        var elements: [Element] = []
        elements.reserveCapacity(array.count)
        var index = position.index + 2
        for ordinal in 0..<array.count {
            elements.append(
                try element(self, TapePosition(index: index, container: position.index, ordinal: ordinal)))
            // Each of these types reads a scalar, which has one entry.
            index += 1
        }
        return elements
    }
}

/// A dictionary whose keys are names as they are.
protocol StringKeyedDictionary {}

extension Dictionary: StringKeyedDictionary where Key == String {}
