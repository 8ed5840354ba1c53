/// The lists of names in `Vary` of one URL, the newest last, as text: a line for each.
struct VaryLists: Hashable, Sendable {
    private static let maximumCount = 8

    private(set) var lists: [[String]]

    init(_ text: String?) {
        lists = (text ?? "").split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    }

    var text: String { lists.map { $0.joined(separator: ",") }.joined(separator: "\n") }

    /// The lists with a further one; the oldest is dropped beyond the maximum.
    func adding(_ list: [String]) -> VaryLists {
        var result = self
        if result.lists.contains(list) { return self }
        result.lists = result.lists.suffix(Self.maximumCount - 1) + [list]
        return result
    }
}
