/// Finds the elements of an array in a JSON text that arrives in chunks, and checks the text around it.
///
/// States and their next ones; a closing bracket returns to `afterValue` of the container around it:
///
/// - `value`: `firstName` of an object, `firstValue` of another array, `firstElement` of the array, or `afterValue`
/// - `firstName`, `name`: `colon`
/// - `colon`: `value`
/// - `firstValue`: `value`
/// - `afterValue`: `name`, `value`, or `end` after the outermost value
/// - `firstElement`: `element`, or `afterValue`
/// - `element`: `afterElement`, by ``finishElement()``
/// - `afterElement`: `element`, or `afterValue`
struct ElementLocator {
    /// What the locator expects next.
    private enum State {
        case value(isOnPath: Bool)
        case firstName, name, firstValue, afterValue
        case colon(isOnPath: Bool)
        case firstElement, element, afterElement
        case end
    }

    /// What the locator has come to.
    enum Result {
        /// An element; the scanner is at its first byte.
        case element
        /// The end of the outermost value.
        case end
        /// The value after some names of the path is not the object or array that must be there.
        case wrongKind(level: Int)
        /// The object after some names of the path has no member of the next name.
        case missing(level: Int)
    }

    private let path: [String]
    private let maximumDepth: Int
    private var state = State.value(isOnPath: true)
    /// The open containers; true for an object.
    private var containers: [Bool] = []
    /// Number of names of the path whose containers are open. They are the first containers.
    private var level = 0
    private var isFound = false

    init(path: [String], maximumDepth: Int) {
        self.path = path
        self.maximumDepth = maximumDepth
    }

    /// Advances to the next element. What was read is committed; after an error, or a lack of bytes, reading continues
    /// at the next token.
    mutating func advance(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) -> Result {
        while true {
            scanner.commitWhitespace()
            if let result = try step(&scanner) { return result }
            try scanner.commit()
        }
    }

    /// Expects a comma or the end of the array after an element.
    mutating func finishElement() { state = .afterElement }

    /// Reads one token.
    private mutating func step(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) -> Result? {
        switch state {
        case .value(isOnPath: true):
            return try enterPath(&scanner)
        case .value(isOnPath: false):
            try readValue(&scanner)
        case .firstValue:
            if scanner.isAtEnd { throw scanner.stop(.value) }
            if scanner.take("]") { close() } else { state = .value(isOnPath: false) }
        case .firstName:
            if scanner.take("}") { return closeObject() }
            try readName(&scanner)
        case .name:
            try readName(&scanner)
        case .colon(let isOnPath):
            guard scanner.take(":") else { throw scanner.stop(.colon) }
            state = .value(isOnPath: isOnPath)
        case .firstElement:
            if scanner.isAtEnd { throw scanner.stop(.value) }
            if scanner.take("]") { closeElements() } else { state = .element }
        case .element:
            return .element
        case .afterElement:
            if scanner.take("]") {
                closeElements()
            } else {
                guard scanner.take(",") else { throw scanner.stop(.commaOrBracket) }
                state = .element
            }
        case .afterValue:
            return try readSeparator(&scanner)
        case .end:
            guard scanner.isAtEnd else { throw scanner.stop(.endOfText) }
            return .end
        }
        return nil
    }

    /// Enters the next object of the path, or the array at its end.
    private mutating func enterPath(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) -> Result? {
        if scanner.isAtEnd { throw scanner.stop(.value) }
        guard scanner.take(level == path.count ? "[" : "{") else {
            // Only a value can be of the wrong kind.
            var value = scanner
            if !value.isAtContainer { try value.skipScalar() }
            return .wrongKind(level: level)
        }
        if level == path.count {
            state = .firstElement
        } else {
            containers.append(true)
            level += 1
            state = .firstName
        }
        return nil
    }

    private mutating func readValue(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        guard scanner.isAtContainer else {
            try scanner.skipScalar()
            state = .afterValue
            return
        }
        guard containers.count < maximumDepth else { throw scanner.stop(.nestingWithinLimit) }
        let isObject = scanner.take("{")
        if !isObject { _ = scanner.take("[") }
        containers.append(isObject)
        state = isObject ? .firstName : .firstValue
    }

    private mutating func readName(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) {
        guard scanner.byte == UInt8(ascii: "\"") else { throw scanner.stop(.name) }
        let isCandidate = !isFound && containers.count == level
        let name = try scanner.skipString()
        state = .colon(isOnPath: isCandidate && name.string == path[level - 1])
    }

    private mutating func readSeparator(_ scanner: inout JSONScanner) throws(JSONScanner.Stop) -> Result? {
        guard let isObject = containers.last else {
            state = .end
            return nil
        }
        if scanner.take(",") {
            state = isObject ? .name : .value(isOnPath: false)
            return nil
        }
        guard scanner.take(isObject ? "}" : "]") else {
            throw scanner.stop(isObject ? .commaOrBrace : .commaOrBracket)
        }
        if isObject { return closeObject() }
        close()
        return nil
    }

    private mutating func closeObject() -> Result? {
        if !isFound, containers.count == level { return .missing(level: level) }
        close()
        return nil
    }

    private mutating func close() {
        containers.removeLast()
        level = min(level, containers.count)
        state = .afterValue
    }

    /// The path leads to one array: what has the same names later is not read.
    private mutating func closeElements() {
        isFound = true
        state = .afterValue
    }
}
