import Foundation

extension JSONTape {
    /// Maximum number of members whose keys are compared one by one; larger objects have an index.
    private static let indexedCount = 32

    /// Prepares an object for lookups: decides whether its keys can be compared as bytes.
    ///
    /// Of members with the same key, the first one counts. Lookups start after the last found key, so they need to know
    /// that no earlier key is the same.
    /// - Returns: a Bloom filter of the keys, of 64 bits; zero if they are looked up in an index.
    func prepare(_ object: Int) -> UInt64 {
        let head = entries[object].head
        if head & TapeEntry.Flag.isIndexed != 0 { return 0 }
        let isDistinct = head & TapeEntry.Flag.hasDistinctKeys != 0
        let isPlain = head & TapeEntry.Flag.hasUnusualKeys == 0
        let keepsKeys = !convertsKeys || head & TapeEntry.Flag.keepsKeys != 0
        if isDistinct || isPlain && keepsKeys && entries[object].count <= Self.indexedCount,
            let filter = filter(of: object, isDistinct: isDistinct)
        {
            entries[object].head |= TapeEntry.Flag.hasDistinctKeys
            return filter
        }
        entries[object].head |= TapeEntry.Flag.isIndexed
        return 0
    }

    /// The filter of the keys of a small object; nil if two keys are the same.
    private func filter(of object: Int, isDistinct: Bool) -> UInt64? {
        var filter: UInt64 = 0
        var index = object + 2
        let end = entries[object].end
        while index < end {
            let key = entries[index]
            let following = next(after: index + 1)
            var hash = key.hash
            if !isDistinct {
                hash = Self.hash(UnsafeRawPointer(text + key.offset), key.length)
                if filter & Self.bit(hash) != 0, hasKey(key, from: object + 2, to: index) { return nil }
                entries[index].setKey(hash: hash, distance: following - index)
            }
            filter |= Self.bit(hash)
            index = following
        }
        return filter
    }

    private func hasKey(_ key: TapeEntry, from start: Int, to end: Int) -> Bool {
        var index = start
        while index < end {
            let other = entries[index]
            if other.length == key.length, memcmp(text + other.offset, text + key.offset, key.length) == 0 {
                return true
            }
            index = next(after: index + 1)
        }
        return false
    }

    /// One of 64 bits.
    @inline(__always)
    private static func bit(_ hash: UInt8) -> UInt64 { 1 << UInt64(hash & 63) }

    /// Hash of the first and last bytes of a key.
    @inline(__always)
    private static func hash(_ start: UnsafeRawPointer, _ count: Int) -> UInt8 {
        var hash: UInt64
        if count >= 8 {
            hash = start.loadUnaligned(as: UInt64.self) ^ (start + count - 8).loadUnaligned(as: UInt64.self) &* 31
        } else if count >= 4 {
            hash = UInt64(start.loadUnaligned(as: UInt32.self)) << 32
            hash |= UInt64((start + count - 4).loadUnaligned(as: UInt32.self))
        } else {
            hash = 0
            for index in 0..<count { hash = hash << 8 | UInt64(start.load(fromByteOffset: index, as: UInt8.self)) }
        }
        return UInt8(truncatingIfNeeded: ((hash ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15) >> 56)
    }

    /// Index of the value of a member; 0 without one.
    /// - Parameter filter: what ``prepare(_:)`` returned.
    @inline(__always)
    func member(_ name: String, of object: Int, filter: UInt64) -> Int {
        // A filter is zero for an empty object, too.
        if filter == 0 { return indexedMember(name, of: object) }
        var name = name
        return name.withUTF8 { member($0, of: object, filter: filter) }
    }

    @inline(never)
    private func indexedMember(_ name: String, of object: Int) -> Int {
        entries[object].count == 0 ? 0 : members(of: object)[name] ?? 0
    }

    /// Starts at the key that follows the last found one: members are usually decoded in their order.
    @inline(__always)
    private func member(_ name: UnsafeBufferPointer<UInt8>, of object: Int, filter: UInt64) -> Int {
        let expected = Int(truncatingIfNeeded: entries[object + 1].payload)
        let first = expected == 0 ? object + 2 : expected
        let key = entries[first]
        if key.length == name.count, isEqual(text + key.offset, name) { return found(first, in: object) }
        return unexpectedMember(name, of: object, filter: filter, from: first)
    }

    @inline(never)
    private func unexpectedMember(
        _ name: UnsafeBufferPointer<UInt8>, of object: Int, filter: UInt64, from first: Int
    ) -> Int {
        guard let start = name.baseAddress else { return emptyMember(of: object) }
        let hash = Self.hash(UnsafeRawPointer(start), name.count)
        if filter & Self.bit(hash) != 0 {
            let end = entries[object].end
            var index = first
            repeat {
                let key = entries[index]
                if key.hash == hash, key.length == name.count, isEqual(text + key.offset, name) {
                    return found(index, in: object)
                }
                index = self.following(key, at: index)
                if index == end { index = object + 2 }
            } while index != first
        }
        return name.allSatisfy { $0 < 0x80 } ? 0 : equivalentMember(String(decoding: name, as: UTF8.self), of: object)
    }

    /// Expects the key after a found one next.
    @inline(__always)
    private func found(_ index: Int, in object: Int) -> Int {
        let following = following(entries[index], at: index)
        entries[object + 1].payload = UInt64(following == entries[object].end ? object + 2 : following)
        return index + 1
    }

    /// Index of the key after a key of a prepared object.
    @inline(__always)
    private func following(_ key: TapeEntry, at index: Int) -> Int {
        key.distance == 0 ? next(after: index + 1) : index + key.distance
    }

    /// Compares two texts of the same length. The loads of the first end within the padding, of the second within it.
    @inline(__always)
    private func isEqual(_ bytes: UnsafePointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = name.baseAddress else { return true }
        let (left, right, count) = (UnsafeRawPointer(bytes), UnsafeRawPointer(start), name.count)
        if count > 16 { return memcmp(left, right, count) == 0 }
        if count >= 8 {
            return left.loadUnaligned(as: UInt64.self) == right.loadUnaligned(as: UInt64.self)
                && (left + count - 8).loadUnaligned(as: UInt64.self)
                    == (right + count - 8).loadUnaligned(as: UInt64.self)
        }
        if count >= 4 {
            return left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
                && (left + count - 4).loadUnaligned(as: UInt32.self)
                    == (right + count - 4).loadUnaligned(as: UInt32.self)
        }
        for index in 0..<count where bytes[index] != start[index] { return false }
        return true
    }

    /// The member whose name is empty.
    private func emptyMember(of object: Int) -> Int {
        var index = object + 2
        while index < entries[object].end {
            if entries[index].length == 0 { return index + 1 }
            index = next(after: index + 1)
        }
        return 0
    }

    /// Some characters that are not ASCII are canonically equivalent to one that is, such as the Kelvin sign to K.
    @inline(never)
    private func equivalentMember(_ name: String, of object: Int) -> Int {
        var index = object + 2
        while index < entries[object].end {
            if string(of: entries[index]) == name { return index + 1 }
            index = next(after: index + 1)
        }
        return 0
    }

    /// Indexes of values by the names of their members, after conversion.
    @inline(never)
    func members(of object: Int) -> [String: Int] {
        if let members = members[object] { return members }
        var members: [String: Int] = [:]
        members.reserveCapacity(entries[object].count)
        var index = object + 2
        while index < entries[object].end {
            let name = name(string(of: entries[index]), in: object)
            if members[name] == nil { members[name] = index + 1 }
            index = next(after: index + 1)
        }
        self.members[object] = members
        return members
    }

    /// Decodes an object as a dictionary, whose keys are not converted. Another try may decode it as a type with keys.
    func keepingKeys<Value>(of object: Int, _ body: () throws -> Value) rethrows -> Value {
        let prepared = TapeEntry.Flag.isIndexed | TapeEntry.Flag.hasDistinctKeys
        let (head, converted) = (entries[object].head, members[object])
        entries[object].head = head & ~prepared | TapeEntry.Flag.keepsKeys
        members[object] = nil
        defer {
            entries[object].head = head
            members[object] = converted
        }
        return try body()
    }

    /// Calls `body` with each name of an object, in the order of the text. The object must be prepared.
    func forEachName(of object: Int, _ body: (String) -> Void) {
        let isIndexed = entries[object].head & TapeEntry.Flag.isIndexed != 0
        let members = isIndexed ? members(of: object) : [:]
        var index = object + 2
        while index < entries[object].end {
            let text = string(of: entries[index])
            if !isIndexed {
                body(text)
            } else if case let name = name(text, in: object), members[name] == index + 1 {
                body(name)
            }
            index = next(after: index + 1)
        }
    }

    /// Converts a name in the text to the name of a coding key.
    func name(_ text: String, in object: Int) -> String {
        guard convertsKeys, entries[object].head & TapeEntry.Flag.keepsKeys == 0 else { return text }
        switch coding.keys {
        case .unchanged: return text
        case .custom(let decode, _): return decode(path(toContainer: object) + [JSONKey(stringValue: text)]).stringValue
        case .snakeCase:
            if let name = convertedNames[text] { return name }
            let name = SnakeCase.camelCase(text)
            convertedNames[text] = name
            return name
        }
    }
}
