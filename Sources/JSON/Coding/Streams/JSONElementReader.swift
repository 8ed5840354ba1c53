package import Foundation

/// Decodes the elements of an array in a JSON text that arrives in chunks, one at a time.
///
/// Keeps the current chunk and an incomplete element, at most `maximumLength` bytes. Each value is scanned once; one
/// that ends in a later chunk also by ``ElementExtent``. Lines are counted once. So all takes linear time.
package struct JSONElementReader<Element: Decodable>: Sendable {
    /// Why an element cannot be read.
    package enum Failure: Error {
        /// The text is not JSON, or ends too early. No further element follows.
        case syntax(JSONError)
        /// The value at the path is missing or not an array. No further element follows.
        case noArray(codingPath: [any CodingKey], isMissing: Bool, JSONLocation)
        /// An element, or a string outside the array, is longer than the limit. No further element follows.
        case tooLong(JSONLocation)
        /// An element does not match its type. The next one follows.
        case element(any Error, codingPath: [any CodingKey], JSONLocation)
    }

    private let path: [String]
    private let coding: JSONCoding
    private let maximumLength: Int
    private var locator: ElementLocator
    /// Of the element, or of the string or number outside the array, whose first bytes are in the buffer.
    private var extent: ElementExtent?
    /// The bytes that are not read yet, after `start`, and the padding of a scanner.
    private var buffer = [UInt8](repeating: 0, count: JSONScanner.padding)
    private var start = 0
    /// Number of bytes of the buffer, of those before `start`, whose lines are counted.
    private var counted = 0
    /// Place in the stream of the byte after them.
    private var origin = JSONLocation(offset: 0, line: 1, column: 1)
    private var isFinished = false
    private var hasEnded = false
    private var index = 0

    /// - Parameters:
    ///   - path: the names of the members that lead to the array; empty for an array that is the whole text.
    ///   - maximumLength: maximum bytes of an element, and of a string or number outside the array.
    package init(_ type: Element.Type, path: [String], coding: JSONCoding, maximumLength: Int) {
        self.path = path
        self.coding = coding
        self.maximumLength = maximumLength
        locator = ElementLocator(path: path, maximumDepth: coding.maximumDepth)
    }

    /// Adds the next bytes.
    package mutating func push(_ bytes: Data) {
        guard !isFinished, !hasEnded else { return }
        discardRead()
        buffer.removeLast(JSONScanner.padding)
        buffer.append(contentsOf: bytes)
        buffer.append(contentsOf: repeatElement(0, count: JSONScanner.padding))
    }

    /// Marks the end of the text.
    package mutating func finish() { isFinished = true }

    /// Returns the next element; nil if more bytes are needed, or at the end.
    package mutating func next() throws(Failure) -> Element? {
        guard !hasEnded, skipByteOrderMark() else { return nil }
        let scan = scan()
        start = scan.offset
        switch scan.result {
        case .needsMore(let stop):
            guard !isFinished else { throw end(.syntax(syntaxError(stop))) }
            guard unread <= maximumLength else { throw end(.tooLong(location(start))) }
            return nil
        case .end:
            if isFinished { hasEnded = true }
            return nil
        case .noArray(let level, let isMissing):
            throw end(.noArray(codingPath: keys.prefix(level) + [], isMissing: isMissing, location(start)))
        case .invalid(let stop):
            throw end(.syntax(syntaxError(stop)))
        case .tooLong:
            throw end(.tooLong(location(start)))
        case .element(let tape, let offset):
            defer { index += 1 }
            do {
                return try tape.decode(Element.self)
            } catch {
                countLines(upTo: offset)
                throw .element(error, codingPath: keys + [JSONKey(index: index)], location(offset, of: error))
            }
        }
    }

    // MARK: Scanning

    /// What the unread bytes begin with.
    private enum Finding {
        case element(JSONTape, at: Int)
        case end
        case noArray(level: Int, isMissing: Bool)
        case needsMore(JSONScanner.Stop)
        case invalid(JSONScanner.Stop)
        case tooLong
    }

    /// Reads up to the next element, and scans it.
    /// - Returns: what was found, and the offset of the first byte that was not read.
    private mutating func scan() -> (result: Finding, offset: Int) {
        var (locator, extent) = (locator, extent)
        defer { (self.locator, self.extent) = (locator, extent) }
        let count = buffer.count - JSONScanner.padding
        return buffer.withUnsafeMutableBufferPointer { bytes in
            // No scratch memory is needed: no string is unescaped.
            let base = bytes.baseAddress.unsafelyUnwrapped
            if var known = extent, !isFinished {
                let isComplete = known.isComplete(UnsafeBufferPointer(start: base + start, count: count - start))
                extent = isComplete ? nil : known
                guard isComplete else { return (.needsMore(.init(offset: count, expected: .value)), start) }
            }
            var scanner = JSONScanner(base, count, from: start, scratch: base, isPartial: !isFinished)
            do throws(JSONScanner.Stop) {
                switch try locator.advance(&scanner) {
                case .end: return (.end, scanner.offset)
                case .wrongKind(let level): return (.noArray(level: level, isMissing: false), scanner.offset)
                case .missing(let level): return (.noArray(level: level, isMissing: true), scanner.offset)
                case .element: break
                }
                let first = scanner.offset
                var element = JSONScanner(base + first, count - first, from: 0, scratch: base, isPartial: !isFinished)
                var writer = TapeWriter(capacity: 32)
                writer.append(TapeEntry(.null, offset: 0))
                do throws(JSONScanner.Stop) {
                    try element.tapeValue(&writer, maximumDepth: coding.maximumDepth)
                } catch {
                    throw JSONScanner.Stop(offset: first + error.offset, expected: error.expected)
                }
                guard element.offset <= maximumLength else { return (.tooLong, first) }
                locator.finishElement()
                let tape = JSONTape(
                    UnsafeBufferPointer(start: base + first, count: element.offset), entries: writer, coding: coding)
                return (.element(tape, at: first), first + element.offset)
            } catch {
                guard error.offset == count else { return (.invalid(error), scanner.committedOffset) }
                // More bytes may make the text valid. What has begun is a value: a bracket or a comma is one byte.
                if scanner.committedOffset < count { extent = ElementExtent() }
                return (.needsMore(error), scanner.committedOffset)
            }
        }
    }

    /// Number of bytes that are not read.
    private var unread: Int { buffer.count - JSONScanner.padding - start }

    /// Skips a byte order mark at the start of the text.
    /// - Returns: false if more bytes are needed to tell.
    private mutating func skipByteOrderMark() -> Bool {
        guard origin.offset == 0, start == 0 else { return true }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let first = buffer.prefix(min(3, unread))
        if first.elementsEqual(mark) { start = 3 }
        return first.count == 3 || isFinished || !mark.starts(with: first)
    }

    /// Drops the bytes that are read, and counts their lines.
    private mutating func discardRead() {
        countLines(upTo: start)
        buffer.removeSubrange(..<start)
        (start, counted) = (0, 0)
    }

    // MARK: Errors

    private var keys: [any CodingKey] { path.map { JSONKey(stringValue: $0) } }

    private mutating func end(_ failure: Failure) -> Failure {
        hasEnded = true
        return failure
    }

    private mutating func countLines(upTo offset: Int) { (origin, counted) = (location(offset), offset) }

    /// The place in the stream of an offset in the buffer, which is not before the counted lines.
    private func location(_ offset: Int) -> JSONLocation {
        let count = offset - counted
        let place = buffer.withUnsafeBufferPointer {
            JSONLocation(offset: count, in: UnsafeBufferPointer(rebasing: $0[counted...]))
        }
        return JSONLocation(
            offset: origin.offset + count, line: origin.line + place.line - 1,
            column: place.line == 1 ? origin.column + count : place.column)
    }

    /// The place of a value that an element rejected, or of the element.
    private func location(_ offset: Int, of error: any Error) -> JSONLocation {
        guard let context = (error as? DecodingError)?.context, let error = context.underlyingError as? JSONError,
            let place = error.location
        else { return location(offset) }
        // A type may throw the error of another text.
        return location(min(offset + place.offset, start))
    }

    private func syntaxError(_ stop: JSONScanner.Stop) -> JSONError {
        JSONError(
            expected: stop.expected, isAtEnd: stop.offset == buffer.count - JSONScanner.padding,
            at: location(stop.offset))
    }
}
