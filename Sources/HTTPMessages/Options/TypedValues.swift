/// Values by the type of their key, as an unordered array: there are few, and an empty one costs nothing.
///
/// A value that equals its key's default is not stored, so values that read the same are equal.
///
/// Reading and setting are inlinable: layers do so for each request, and generic code of another module looks up the
/// metadata of each type at each use.
@usableFromInline
struct TypedValues: Hashable, Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: ObjectIdentifier
        @usableFromInline let value: any Hashable & Sendable

        init(key: ObjectIdentifier, value: any Hashable & Sendable) { (self.key, self.value) = (key, value) }
    }

    @usableFromInline var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    @inlinable
    func value<Value>(for key: ObjectIdentifier) -> Value? {
        for entry in entries where entry.key == key { return entry.value as? Value }
        return nil
    }

    /// - Parameter value: nil removes the entry.
    @usableFromInline
    mutating func set(_ value: (any Hashable & Sendable)?, for key: ObjectIdentifier) {
        let index = entries.firstIndex { $0.key == key }
        switch (index, value) {
        case (let index?, let value?): entries[index] = Entry(key: key, value: value)
        case (let index?, nil): entries.remove(at: index)
        case (nil, let value?): entries.append(Entry(key: key, value: value))
        case (nil, nil): break
        }
    }

    @usableFromInline
    static func == (left: TypedValues, right: TypedValues) -> Bool {
        left.entries.count == right.entries.count
            && left.entries.allSatisfy { entry in
                right.entries.contains { $0.key == entry.key && AnyHashable($0.value) == AnyHashable(entry.value) }
            }
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        // The order of the entries does not count.
        hasher.combine(entries.reduce(0) { $0 ^ $1.key.hashValue ^ AnyHashable($1.value).hashValue })
    }
}
