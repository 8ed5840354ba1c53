import Foundation

/// Text of one value while it is encoded, and the stack of the values that are open in it.
///
/// Values are written in the order in which they are encoded, straight to bytes. A nested container, or the encoder of
/// a superclass, may be written later than what follows it. So it has a segment of its own, and the one around it has
/// a hole, which is filled at the end.
///
/// A frame is pushed for each value that encodes itself, and popped when it returns. A container of a frame that is not
/// on top of the stack can no longer write: that is an error, not damaged text.
///
/// Exclusive access to the properties is not checked at run time, which took half of the time of encoding. It is
/// guaranteed because encoders are not `Sendable`, and no function of the app is called within an access to one.
final class EncodingSegment {
    /// A place where the text of another segment is inserted.
    struct Hole {
        let offset: Int
        let segment: EncodingSegment
        /// The frame, and the name of a member, to find the container of a name again.
        let serial: UInt32
        let name: String?
    }

    let coding: JSONCoding
    let convertsNames: Bool
    /// The path of the first frame.
    private let basePath: [any CodingKey]
    /// The nesting around the first frame.
    private let baseDepth: Int
    @exclusivity(unchecked) var buffer: ByteBuffer
    @exclusivity(unchecked) var frames: TrivialStack<EncodingFrame>
    @exclusivity(unchecked) var holes: [Hole] = []
    /// Hashes of the names of all frames.
    @exclusivity(unchecked) private var hashes: TrivialStack<UInt64>
    /// Memory of both stacks, for a value that is not nested deep.
    private let scratch: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var lastSerial: UInt32 = 0
    /// True if two members of an object may have the same name, of which the last one counts.
    @exclusivity(unchecked) var mayHaveDuplicates = false
    /// An error where the protocols do not allow to throw one.
    @exclusivity(unchecked) private var failure: EncodingError?
    @exclusivity(unchecked) private var convertedNames: [String: String] = [:]

    /// Number of members from which on names are no longer compared while they are written.
    private static let comparedNames = 64

    init(_ coding: JSONCoding, path: [any CodingKey] = [], depth: Int = 0) throws(JSONError) {
        self.coding = coding
        if case .unchanged = coding.keys { convertsNames = false } else { convertsNames = true }
        basePath = path
        baseDepth = depth
        buffer = try ByteBuffer(capacity: 512)
        let (frameCount, hashCount) = (6, 32)
        let frameBytes = frameCount * MemoryLayout<EncodingFrame>.stride
        scratch = .allocate(
            byteCount: frameBytes + hashCount * MemoryLayout<UInt64>.stride,
            alignment: MemoryLayout<EncodingFrame>.alignment)
        frames = TrivialStack(in: scratch, capacity: frameCount)
        hashes = TrivialStack(in: scratch + frameBytes, capacity: hashCount)
    }

    deinit { scratch.deallocate() }

    // MARK: Frames

    /// Pushes a frame.
    @inline(__always)
    func push(_ type: Any.Type, _ key: EncodingFrame.Key = .none) -> BufferEncoder {
        lastSerial &+= 1
        frames.push(EncodingFrame(serial: lastSerial, type: type, key: key, hashes: hashes.count))
        return BufferEncoder(self, frame: frames.count - 1, serial: lastSerial)
    }

    /// Closes and pops the top frame.
    @inline(__always)
    func pop() throws {
        let frame = frames.pop()
        hashes.truncate(to: frame.hashes)
        switch frame.kind {
        case .keyed: try put("}")
        case .unkeyed: try put("]")
        case .single where frame.count > 0: break
        case .single, .undecided:
            // As Foundation: a value that encodes nothing is an empty object, unless it is the outermost one.
            guard baseDepth > 0 || frames.count > 0 else { throw nothing(frame.type) }
            try buffer.append("{}")
        }
    }

    private func nothing(_ type: Any.Type) -> EncodingError {
        .invalidValue(
            type,
            EncodingError.Context(codingPath: [], debugDescription: "Top-level \(type) did not encode any values."))
    }

    /// The coding path of a frame.
    func path(_ frame: Int) -> [any CodingKey] {
        basePath + (0..<min(frame, frames.count - 1) + 1).compactMap { key(of: frames[$0]) }
    }

    private func key(of frame: EncodingFrame) -> (any CodingKey)? {
        switch frame.key {
        case .none: return nil
        case .index(let index): return JSONKey(index: index)
        case .name(let offset):
            let name = buffer.string(at: offset)
            // The name in the text may be a converted one.
            return JSONKey(stringValue: convertedNames.first { $0.value == name }?.key ?? name)
        }
    }

    /// The nesting of the top frame.
    var depth: Int { baseDepth + frames.count }

    /// Checks that a frame is on top of the stack, before something is written to it.
    @inline(__always)
    func check(_ frame: Int, _ serial: UInt32) throws {
        guard frame == frames.count - 1, frames[frame].serial == serial else { throw notOnTop(frame) }
    }

    @inline(never)
    private func notOnTop(_ frame: Int) -> EncodingError {
        failure
            ?? .invalidValue(
                Never.self,
                EncodingError.Context(
                    codingPath: path(frame),
                    debugDescription:
                        "A container was used while another value was encoded, or after its own value was."))
    }

    /// Opens a frame as one kind of container; again, if it is that already.
    func open(_ kind: EncodingFrame.Kind, _ frame: Int, _ serial: UInt32) {
        do {
            try check(frame, serial)
            if frames[frame].kind == kind { return }
            guard frames[frame].kind == .undecided else {
                throw EncodingError.invalidValue(
                    frames[frame].type,
                    EncodingError.Context(
                        codingPath: path(frame),
                        debugDescription: "\(frames[frame].type) asked for two kinds of containers."))
            }
            frames[frame].kind = kind
            if kind == .keyed { try put("{") }
            if kind == .unkeyed { try put("[") }
        } catch {
            fail(error)
        }
    }

    /// Keeps the first error that cannot be thrown where it happens.
    func fail(_ error: any Error) {
        failure =
            failure ?? error as? EncodingError
            ?? .invalidValue(
                Never.self,
                EncodingError.Context(
                    codingPath: basePath, debugDescription: "The value cannot be written as JSON.",
                    underlyingError: error
                ))
    }

    // MARK: Writing

    @inline(__always)
    func put(_ character: Unicode.Scalar) throws(JSONError) {
        try buffer.reserve(1)
        buffer.put(UInt8(ascii: character))
    }

    /// Writes the name of a member, after a comma.
    /// - Returns: where it starts in the text, after its quote.
    @inline(__always) @discardableResult
    func startMember(_ name: String, _ frame: Int, _ serial: UInt32) throws -> Int {
        try check(frame, serial)
        var name = name
        if convertsNames { name = converted(name, frame) }
        let isFirst = frames[frame].count == 0
        frames[frame].count += 1
        let start = buffer.count + (isFirst ? 1 : 2)
        let hash = try name.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            try buffer.reserve(bytes.count + 4)
            if !isFirst { buffer.put(UInt8(ascii: ",")) }
            try JSONStringWriter.write(bytes, to: &buffer)
            try buffer.reserve(1)
            buffer.put(UInt8(ascii: ":"))
            return bytes.edgeHash
        }
        if !mayHaveDuplicates { remember(hash, frame) }
        return start
    }

    /// Compares the hash of a name with those before it. A wrong suspicion costs time only.
    @inline(__always)
    private func remember(_ hash: UInt64, _ frame: Int) {
        let bit: UInt64 = 1 << (hash >> 58)
        if frames[frame].filter & bit != 0 || frames[frame].count > Self.comparedNames { compare(hash, frame) }
        frames[frame].filter |= bit
        hashes.push(hash)
    }

    @inline(never)
    private func compare(_ hash: UInt64, _ frame: Int) {
        if frames[frame].count > Self.comparedNames {
            // The keys of a dictionary are distinct.
            mayHaveDuplicates = !(frames[frame].type is any StringKeyedDictionary.Type)
        } else if (frames[frame].hashes..<hashes.count).contains(where: { hashes[$0] == hash }) {
            mayHaveDuplicates = true
        }
    }

    private func converted(_ name: String, _ frame: Int) -> String {
        if frames[frame].type is any StringKeyedDictionary.Type { return name }
        switch coding.keys {
        case .unchanged: return name
        case .custom(_, let encode): return encode(path(frame) + [JSONKey(stringValue: name)]).stringValue
        case .snakeCase:
            if let converted = convertedNames[name] { return converted }
            let converted = SnakeCase.snakeCase(name)
            convertedNames[name] = converted
            return converted
        }
    }

    /// Writes the comma before an element that is not the first.
    @inline(__always)
    func startElement(_ frame: Int, _ serial: UInt32) throws {
        try check(frame, serial)
        if frames[frame].count > 0 { try put(",") }
        frames[frame].count += 1
    }

    /// Starts a single value.
    @inline(__always)
    func startSingle(_ frame: Int, _ serial: UInt32) throws {
        try check(frame, serial)
        guard frames[frame].kind == .single, frames[frame].count == 0 else { throw secondSingle(frame) }
        frames[frame].count = 1
    }

    @inline(never)
    private func secondSingle(_ frame: Int) -> EncodingError {
        .invalidValue(
            frames[frame].type,
            EncodingError.Context(
                codingPath: path(frame), debugDescription: "\(frames[frame].type) encoded more than one single value."))
    }

    /// A state to return to when a value fails to encode, so that a type may catch the error.
    struct Mark {
        let length: Int
        let frames: Int
        let holes: Int
        let hashes: Int
        let top: EncodingFrame
    }

    @inline(__always)
    var mark: Mark {
        Mark(
            length: buffer.count, frames: frames.count, holes: holes.count, hashes: hashes.count,
            top: frames[frames.count - 1])
    }

    /// Removes what was written since a mark.
    func undo(to mark: Mark) {
        buffer.truncate(to: mark.length)
        frames.truncate(to: mark.frames)
        frames[mark.frames - 1] = mark.top
        holes.removeLast(holes.count - mark.holes)
        hashes.truncate(to: mark.hashes)
    }

    /// Closes the first frame.
    func close() throws {
        if frames.count > 0 { try pop() }
        if let failure { throw failure }
    }
}
