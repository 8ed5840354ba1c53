import Foundation

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
    func corrupted(_ type: Any.Type, at position: TapePosition, _ description: String) -> DecodingError {
        .dataCorrupted(context(position, description, problem: String.rejection(by: "\(type)")))
    }

    /// Creates the error for a number that its type cannot represent.
    func doesNotFit(_ type: Any.Type, at position: TapePosition) -> DecodingError {
        let text = String(decoding: number(at: position.index).prefix(100), as: UTF8.self)
        return corrupted(type, at: position, "Parsed JSON number <\(text)> does not fit in \(type).")
    }

    private func context(
        _ position: TapePosition, _ description: String, problem: String? = nil
    ) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: path(to: position), debugDescription: description,
            underlyingError: position.index == 0
                ? nil : JSONOffset(offset: offset(of: position.index), problem: problem))
    }

    /// Offset of the first byte of a value.
    func offset(of index: Int) -> Int {
        let entry = entries[index]
        return entry.kind == .string || entry.kind == .escapedString ? entry.offset - 1 : entry.offset
    }

    /// The error with the line of the rejected value. An error of a type itself has the place of its path,
    /// which is taken as one of this text.
    func locating(_ error: DecodingError) -> DecodingError {
        guard let context = error.context else { return error }
        var description = context.debugDescription
        let offset: Int
        let problem: String?
        switch context.underlyingError {
        case let place as JSONOffset:
            (offset, problem) = (place.offset, place.problem)
        case .none:
            offset = self.offset(of: index(of: context.codingPath))
            let type = description.rejectingType
            problem = type.map { String.rejection(by: $0) }
            description = type.map { "Cannot initialize \($0) with this value." } ?? description
        default:
            return error
        }
        var place = JSONError(
            unexpectedValueAt: JSONLocation(
                offset: offset, in: UnsafeBufferPointer(start: text, count: textCount)))
        place.problem = problem
        return error.with(
            DecodingError.Context(
                codingPath: context.codingPath, debugDescription: description, underlyingError: place))
    }

    /// The value at a path, or the last one on the way to it.
    private func index(of path: [any CodingKey]) -> Int {
        var index = Self.root
        for key in path {
            guard let next = value(of: key, in: index) else { break }
            index = next
        }
        return index
    }

    /// The member or element of a key; nil without one.
    private func value(of key: any CodingKey, in container: Int) -> Int? {
        let entry = entries[container]
        guard entry.kind == .array || entry.kind == .object else { return nil }
        var index = container + 2
        var ordinal = 0
        while index < entry.end {
            if entry.kind == .array {
                if ordinal == key.intValue { return index }
                index = next(after: index)
            } else {
                let name = string(of: entries[index])
                // Names of a dictionary were not converted.
                if name == key.stringValue || self.name(name, in: container) == key.stringValue { return index + 1 }
                index = next(after: index + 1)
            }
            ordinal += 1
        }
        return nil
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
    /// That of the ``JSONError``.
    var problem: String?
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

    /// The error with what is wrong with the value.
    func with(problem: String) -> DecodingError {
        guard let context, var place = context.underlyingError as? JSONOffset else { return self }
        place.problem = problem
        return with(
            Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription, underlyingError: place))
    }

    fileprivate func with(_ context: Context) -> DecodingError {
        switch self {
        case .typeMismatch(let type, _): return .typeMismatch(type, context)
        case .valueNotFound(let type, _): return .valueNotFound(type, context)
        case .keyNotFound(let key, _): return .keyNotFound(key, context)
        case .dataCorrupted: return .dataCorrupted(context)
        @unknown default: return self
        }
    }
}

extension String {
    /// What is wrong with a value of the right kind.
    fileprivate static func rejection(by type: some StringProtocol) -> String {
        "has a value that the type \(type) rejects"
    }

    /// The type in a message of the standard library, which quotes the value, for an enum or a range.
    fileprivate var rejectingType: Substring? {
        let start = "Cannot initialize "
        guard hasPrefix(start), let end = range(of: " from invalid ") ?? range(of: " with a lowerBound ") else {
            return nil
        }
        return self[..<end.lowerBound].dropFirst(start.count)
    }
}
