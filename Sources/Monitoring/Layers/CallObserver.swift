import HTTPMessages
import Transport

/// Passes the events of a call to a recorder and to the observer of the app.
final class CallObserver: TransferObserver {
    private let recorder: CallRecorder
    private let app: AppObserver

    init(_ recorder: CallRecorder, _ app: AppObserver) {
        self.recorder = recorder
        self.app = app
    }

    var isImmediate: Bool { true }

    func transfer(didEmit event: TransferEvent) {
        recorder.transfer(didEmit: event)
        app.receive(event)
    }
}
