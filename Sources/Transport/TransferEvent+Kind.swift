extension TransferEvent {
    /// True for events of which a later one makes the earlier one worthless: two counts of one direction, two heads.
    package func isSameKind(as other: TransferEvent) -> Bool {
        switch (self, other) {
        case (.sent, .sent), (.head, .head), (.received, .received): true
        default: false
        }
    }
}

extension [TransferEvent] {
    /// Adds an event and removes the one that it makes worthless.
    package mutating func supersede(with event: TransferEvent) {
        if let index = firstIndex(where: { $0.isSameKind(as: event) }) { remove(at: index) }
        append(event)
    }
}
