/// Encoder of one value. Its methods are generic: each is the witness of all overloads of the protocols.
struct QueryValueEncoder: Encoder {
    let writer: QueryWriter
    let location: QueryWriter.Location
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(writer: writer, location: location, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        Unkeyed(writer: writer, location: location, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Encodes a dictionary, whose keys are data and not changed.
    func encode(_ pairs: [(String, any Encodable)]) throws {
        let isRoot = if case .root = location { true } else { false }
        let container = Keyed<QueryKey>(writer: writer, location: location, codingPath: codingPath)
        for (name, value) in pairs {
            guard !name.utf8.contains(where: \.isStructureOfQueryName) else {
                throw QueryFault.unwritable(name, "a key with a bracket or a period; use one without.")
            }
            // `a[]` is an element of an array, and `[x]` a name.
            guard !name.isEmpty || writer.style.nesting != .brackets || isRoot && value is any QueryScalar else {
                throw QueryFault.unwritable(location.name, "a dictionary with an empty key; use another one.")
            }
            try container.encode(value, named: name, QueryKey(stringValue: name))
        }
    }
}

extension QueryValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { try writer.writeNil(at: location) }

    func encode<Value: Encodable>(_ value: Value) throws { try writer.write(value, at: location, path: codingPath) }
}

extension QueryValueEncoder {
    fileprivate struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let writer: QueryWriter
        let location: QueryWriter.Location
        let codingPath: [any CodingKey]

        func encodeNil(forKey key: Key) throws {
            guard writer.style.nils != .omitted else { return }
            let name = writer.style.names.written(key.stringValue)
            try writer.writeNil(at: writer.location(of: name, in: location))
        }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try encode(value, named: writer.style.names.written(key.stringValue), key)
        }

        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            try encodeOptional(value, key)
        }

        func encodeOptional<Value: Encodable>(_ value: Value?, _ key: Key) throws {
            if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
        }

        func encode<Value: Encodable>(_ value: Value, named name: String, _ key: Key) throws {
            try writer.write(value, at: writer.location(of: name, in: location), path: codingPath + [key])
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { encoder(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder {
            let key = QueryKey(stringValue: "super")
            return encoder(named: key.stringValue, key)
        }

        func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

        private func encoder(_ key: Key) -> QueryValueEncoder {
            encoder(named: writer.style.names.written(key.stringValue), key)
        }

        private func encoder(named name: String, _ key: any CodingKey) -> QueryValueEncoder {
            QueryValueEncoder(
                writer: writer, location: writer.location(of: name, in: location), codingPath: codingPath + [key])
        }
    }

    fileprivate struct Unkeyed: UnkeyedEncodingContainer {
        let writer: QueryWriter
        let location: QueryWriter.Location
        let codingPath: [any CodingKey]
        var count = 0
        private var array: QueryWriter.DelimitedList?

        init(writer: QueryWriter, location: QueryWriter.Location, codingPath: [any CodingKey]) {
            self.writer = writer
            self.location = location
            self.codingPath = codingPath
        }

        mutating func encodeNil() throws { try writer.writeNil(at: nextLocation()) }

        mutating func encode<Value: Encodable>(_ value: Value) throws {
            let index = count
            try writer.write(value, at: nextLocation(), path: codingPath + [QueryKey(index)])
        }

        // As for properties, no type has to be found at run time for these.
        mutating func encode(_ value: String) throws { try writer.write(value, at: nextLocation()) }
        mutating func encode(_ value: Int) throws { try writer.write(value, at: nextLocation()) }
        mutating func encode(_ value: Double) throws { try writer.write(value, at: nextLocation()) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) -> KeyedEncodingContainer<Nested> { nextEncoder().container(keyedBy: type) }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nextEncoder().unkeyedContainer() }

        mutating func superEncoder() -> any Encoder { nextEncoder() }

        private mutating func nextEncoder() -> QueryValueEncoder {
            let path = codingPath + [QueryKey(count)]
            return QueryValueEncoder(writer: writer, location: nextLocation(), codingPath: path)
        }

        private mutating func nextLocation() -> QueryWriter.Location {
            defer { count += 1 }
            do {
                guard let name = try writer.containerName(at: location) else {
                    return .unwritable(QueryFault.withoutName)
                }
                guard let delimiter = writer.style.arrays.delimiter else { return .element(name, index: count) }
                let array = array ?? QueryWriter.DelimitedList(name, delimiter)
                self.array = array
                return .delimited(array)
            } catch { return .unwritable(error) }
        }
    }
}

extension QueryValueEncoder.Keyed {
    // Most properties have one of these types, for which no type has to be found at run time.
    func encode(_ value: Bool, forKey key: Key) throws { try write(value, key) }
    func encode(_ value: String, forKey key: Key) throws { try write(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { try write(value, key) }
    func encode(_ value: Int, forKey key: Key) throws { try write(value, key) }

    private func write(_ scalar: some QueryScalar, _ key: Key) throws {
        let name = writer.style.names.written(key.stringValue)
        try writer.write(scalar, named: name, in: location)
    }

    // The protocol's own implementations for these types would omit nil.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOptional(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOptional(value, key) }
}

extension QueryStyle.Nesting {
    /// The name of a property of the object of a name; nil for the root.
    func join(_ object: String?, _ name: String) -> String {
        guard let object else { return name }
        return self == .dots ? "\(object).\(name)" : "\(object)[\(name)]"
    }
}

extension UInt8 {
    /// True for the characters that join names.
    var isStructureOfQueryName: Bool {
        self == UInt8(ascii: "[") || self == UInt8(ascii: "]") || self == UInt8(ascii: ".")
    }
}

/// A coding key of any name or index.
struct QueryKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) { self.init(intValue) }

    init(_ index: Int) {
        stringValue = String(index)
        intValue = index
    }
}
