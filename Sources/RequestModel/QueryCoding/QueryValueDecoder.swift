import HTTPMessages

/// Decoder of one value. Its methods are generic: each is the witness of all overloads of the protocols.
struct QueryValueDecoder: Decoder {
    let tree: QueryTree
    let style: QueryStyle
    /// The name of the parameter in errors; nil at the root.
    let name: String?
    let codingPath: [any CodingKey]
    /// True if the properties are those of a dictionary, whose names are data.
    var isDictionary = false
    /// True if the properties are in the value of one parameter: then their names are data, which no error shows.
    var isInOneParameter = false
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(decoder: try decoderOfObject()))
    }

    /// This decoder, or that of the properties in the value of its parameter.
    private func decoderOfObject() throws -> QueryValueDecoder {
        let object = try tree.object(style, name)
        if object === tree { return self }
        return QueryValueDecoder(
            tree: object, style: style, name: name, codingPath: codingPath, isDictionary: isDictionary,
            isInOneParameter: true)
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed(decoder: self, elements: tree.elements(style)) }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension QueryValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        guard let value = tree.values.first else { return tree.isEmpty }
        guard tree.values.count == 1 else { return false }
        switch style.nils {
        case .omitted: return false
        case .empty: return value?.isEmpty ?? true
        case .nameOnly: return value == nil
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let scalar = type as? any QueryScalar.Type else {
            var decoder = self
            decoder.isDictionary = type is any StringKeyed.Type
            return try Value(from: decoder)
        }
        guard let value = try scalar.init(queryText: text(as: type), style) as? Value else {
            throw QueryFault.unreadable(name ?? "", "is not a valid \(type); check its value.")
        }
        return value
    }

    /// The text of the only value.
    private func text(as type: Any.Type) throws -> String {
        guard let value = tree.values.first else {
            throw QueryFault.unreadable(name ?? "", "is missing; expected a value of type \(type).")
        }
        guard tree.values.count == 1 else {
            throw QueryFault.unreadable(
                name ?? "", "occurs \(tree.values.count) times; expected one value of type \(type).")
        }
        return value ?? ""
    }

    fileprivate func decoder(_ tree: QueryTree?, _ name: String, _ key: any CodingKey) throws -> QueryValueDecoder {
        // A type that contains itself finds no end in a query that has no parameter for it.
        guard codingPath.count < QueryFault.maximumDepth else {
            throw QueryFault.unreadable(name, "is nested in more than \(QueryFault.maximumDepth) levels; use fewer.")
        }
        return QueryValueDecoder(tree: tree ?? QueryTree(), style: style, name: name, codingPath: codingPath + [key])
    }
}

extension QueryValueDecoder {
    fileprivate struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: QueryValueDecoder
        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            decoder.tree.names.compactMap {
                Key(stringValue: decoder.isDictionary ? $0 : decoder.style.names.declared($0))
            }
        }

        func contains(_ key: Key) -> Bool { child(key) != nil }

        func decodeNil(forKey key: Key) throws -> Bool { try nested(key).decodeNil() }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try nested(key).decode(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { try nested(key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try nested(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder {
            let key = QueryKey(stringValue: "super")
            return try decoder.decoder(
                decoder.tree.child(key.stringValue, decoder.style), parameter(key.stringValue), key)
        }

        func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }

        private func nested(_ key: Key) throws -> QueryValueDecoder {
            try decoder.decoder(child(key), parameter(name(key)), key)
        }

        /// The name of the parameter of a property, for errors.
        private func parameter(_ name: String) -> String {
            decoder.isInOneParameter ? decoder.name ?? "" : decoder.style.nesting.join(decoder.name, name)
        }

        private func child(_ key: Key) -> QueryTree? { decoder.tree.child(name(key), decoder.style) }

        private func name(_ key: Key) -> String {
            decoder.isDictionary ? key.stringValue : decoder.style.names.written(key.stringValue)
        }
    }

    fileprivate struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: QueryValueDecoder
        let elements: [QueryTree]
        var currentIndex = 0
        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex >= elements.count }

        mutating func decodeNil() throws -> Bool {
            let isNil = try next().decodeNil()
            if isNil { currentIndex += 1 }
            return isNil
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let value = try next().decode(type)
            currentIndex += 1
            return value
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { try advance().container(keyedBy: type) }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            try advance().unkeyedContainer()
        }

        mutating func superDecoder() throws -> any Decoder { try advance() }

        private mutating func advance() throws -> QueryValueDecoder {
            defer { currentIndex += 1 }
            return try next()
        }

        private func next() throws -> QueryValueDecoder {
            let name = "\(decoder.name ?? "")[\(currentIndex)]"
            guard currentIndex < elements.count else {
                throw QueryFault.unreadable(name, "is missing; the array has \(elements.count) elements.")
            }
            return try decoder.decoder(elements[currentIndex], name, QueryKey(currentIndex))
        }
    }
}

/// A type of dictionaries whose keys are names of parameters.
private protocol StringKeyed {}

extension Dictionary: StringKeyed where Key == String {}
