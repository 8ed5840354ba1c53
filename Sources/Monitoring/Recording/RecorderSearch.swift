import Synchronization
import Transport

/// A question to the observers of a call: which recorder of this monitor is among them?
///
/// An event, because other layers' observers may stand between both, and pass on what they do not know.
final class RecorderSearch: DetailEvent {
    private let monitor: EventMonitor
    private let recorders = Mutex<(call: CallRecorder?, attempt: AttemptRecorder?)>((nil, nil))

    private init(_ monitor: EventMonitor) { self.monitor = monitor }

    /// The recorder of a monitor that gets the events of an observer.
    static func recorder(of monitor: EventMonitor, behind observer: (any TransferObserver)?) -> CallRecorder? {
        recorders(of: monitor, behind: observer).call
    }

    /// Also the recorder of an attempt before it, of a further layer for attempts.
    static func recorders(
        of monitor: EventMonitor, behind observer: (any TransferObserver)?
    ) -> (call: CallRecorder?, attempt: AttemptRecorder?) {
        guard let observer, observer.isImmediate else { return (nil, nil) }
        if let recorder = observer as? CallRecorder, recorder.monitor === monitor { return (recorder, nil) }
        let search = RecorderSearch(monitor)
        observer.transfer(didEmit: .layer(search))
        return search.recorders.withLock(\.self)
    }

    func found(_ found: CallRecorder) {
        guard found.monitor === monitor else { return }
        recorders.withLock { if $0.call == nil { $0.call = found } }
    }

    func found(_ found: AttemptRecorder, of monitor: EventMonitor) {
        guard monitor === self.monitor else { return }
        recorders.withLock { if $0.attempt == nil { $0.attempt = found } }
    }

    static func == (left: RecorderSearch, right: RecorderSearch) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    var description: String { "search for a recorder" }
}
