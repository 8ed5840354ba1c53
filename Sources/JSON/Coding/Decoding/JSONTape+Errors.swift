extension JSONTape {
    /// The coding path of a value.
    func path(to position: TapePosition) -> [any CodingKey] {
        guard position.container != 0 else { return position.index == 0 ? missingPath(position) : [] }
        return path(toContainer: position.container) + [key(of: position)]
    }

    /// The coding path of an array or object.
    func path(toContainer index: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var index = index
        while case let place = entries[index + 1], place.parent != 0 {
            path.append(key(of: TapePosition(index: index, container: place.parent, ordinal: place.ordinal)))
            index = place.parent
        }
        return path.reversed()
    }

    private func missingPath(_ position: TapePosition) -> [any CodingKey] {
        missingKeys.indices.contains(position.ordinal) ? [missingKeys[position.ordinal]] : []
    }

    /// The last key of the path of a value.
    private func key(of position: TapePosition) -> any CodingKey {
        if position.index == 0 { return missingPath(position).first ?? JSONKey.super }
        guard entries[position.container].kind == .object else { return JSONKey(index: position.ordinal) }
        return key(at: position.index - 1, in: position.container)
    }

    /// The key of a member. A long name is decoded once, for any number of errors below it.
    private func key(at index: Int, in object: Int) -> any CodingKey {
        // Names of an object that is decoded as a dictionary are not converted.
        let place = entries[object].head & TapeEntry.Flag.keepsKeys == 0 ? index : -index
        if let key = longKeys[place] { return key }
        let key = JSONKey(stringValue: name(string(of: entries[index]), in: object))
        // A shorter name is in its string, without other memory.
        if entries[index].length > 15 { longKeys[place] = key }
        return key
    }

    // MARK: Errors

    /// Creates the error for a value of another kind, or for null.
    func mismatch(_ type: Any.Type, at position: TapePosition) -> DecodingError {
        guard entries[position.index].kind != .null else {
            return .valueNotFound(
                type, context(position, "Cannot get value of type \(type) -- found null value instead"))
        }
        return .typeMismatch(
            type,
            context(position, "Expected to decode \(type) but found \(kindDescription(position.index)) instead."))
    }

    /// Creates the error for a value that its type rejects.
    func corrupted(at position: TapePosition, _ description: String) -> DecodingError {
        .dataCorrupted(context(position, description))
    }

    /// Creates the error for a number that its type cannot represent.
    func doesNotFit(_ type: Any.Type, at position: TapePosition) -> DecodingError {
        let text = String(decoding: number(at: position.index).prefix(100), as: UTF8.self)
        return corrupted(at: position, "Parsed JSON number <\(text)> does not fit in \(type).")
    }

    func context(_ position: TapePosition, _ description: String) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: path(to: position), debugDescription: description,
            underlyingError: position.index == 0 ? nil : JSONOffset(offset: offset(of: position.index)))
    }

    /// Offset of the first byte of a value.
    func offset(of index: Int) -> Int {
        let entry = entries[index]
        return entry.kind == .string || entry.kind == .escapedString ? entry.offset - 1 : entry.offset
    }

    private func kindDescription(_ index: Int) -> String {
        switch entries[index].kind {
        case .null: "null"
        case .true, .false: "bool"
        case .integer, .unsigned, .real, .number: "number"
        case .string, .escapedString: "a string"
        case .array: "an array"
        case .object: "a dictionary"
        }
    }
}

/// Offset of a rejected value. The line is added when the error leaves the decoder, since counting lines takes time.
struct JSONOffset: Error {
    let offset: Int
}

extension DecodingError {
    /// Creates the error for text that is not JSON.
    static func invalidJSON(_ error: JSONError) -> DecodingError {
        .dataCorrupted(
            Context(codingPath: [], debugDescription: "The given data was not valid JSON.", underlyingError: error))
    }

    /// The context of any case.
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// The error with another key of the same name in its path.
    func replacingKey(at index: Int, by key: any CodingKey) -> DecodingError? {
        guard let context, context.codingPath.indices.contains(index),
            context.codingPath[index].stringValue == key.stringValue
        else { return nil }
        var path = context.codingPath
        path[index] = key
        return with(
            Context(
                codingPath: path, debugDescription: context.debugDescription,
                underlyingError: context.underlyingError))
    }

    /// The error with the line of the rejected value.
    func locating(in text: UnsafeBufferPointer<UInt8>) -> DecodingError {
        guard let context, let offset = context.underlyingError as? JSONOffset else { return self }
        return with(
            Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription,
                underlyingError: JSONError(unexpectedValueAt: JSONLocation(offset: offset.offset, in: text))))
    }

    private func with(_ context: Context) -> DecodingError {
        switch self {
        case .typeMismatch(let type, _): return .typeMismatch(type, context)
        case .valueNotFound(let type, _): return .valueNotFound(type, context)
        case .keyNotFound(let key, _): return .keyNotFound(key, context)
        case .dataCorrupted: return .dataCorrupted(context)
        @unknown default: return self
        }
    }
}
