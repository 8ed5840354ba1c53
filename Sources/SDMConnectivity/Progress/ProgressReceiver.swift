import Delegation
import Transport

/// Calls the methods of a progress delegate, by protocol or by selector.
struct ProgressReceiver {
    private let object: AnyObject
    private let direction: TransferProgress.Direction
    private let warn: (String) -> Void

    init(_ object: AnyObject, _ direction: TransferProgress.Direction, warn: @escaping (String) -> Void) {
        self.object = object
        self.direction = direction
        self.warn = warn
    }

    /// A delegate, held weakly. Warns of one without any method for progress.
    static func target(
        _ object: AnyObject?, _ callbacks: Callbacks, warn: @escaping @Sendable (String) -> Void
    ) -> WeakTarget {
        let target = WeakTarget(object)
        // An isolated conformance is seen where delegates are called.
        if isSilent(object) {
            callbacks.post {
                guard let object = target.object, isSilent(object) else { return }
                warn(
                    "The progress delegate is not called: \(type(of: object)) has no method for it; let it conform to "
                        + "`SDMProgressDelegate`, or add methods to the `selectors` of a SelectorTarget.")
            }
        }
        return target
    }

    private static func isSilent(_ object: AnyObject?) -> Bool {
        guard let object, !(object is any SDMProgressDelegate) else { return false }
        return !selectors.contains { Selectors.responds(object, to: $0) }
    }

    private static let selectors = [
        "setProgress:", "request:didSendBytes:", "request:didReceiveBytes:", "request:incrementUploadSizeBy:",
        "request:incrementDownloadSizeBy:",
    ]

    /// Calls the method for a change; nothing if the object has no such method.
    func receive(_ change: ProgressChange, of request: SDMHttpRequest) {
        if let delegate = object as? any SDMProgressDelegate {
            call(delegate, change, request)
        } else {
            perform(change, request)
        }
    }

    private func call(_ delegate: any SDMProgressDelegate, _ change: ProgressChange, _ request: SDMHttpRequest) {
        switch (change, direction) {
        case (.fraction(let fraction), _): delegate.setProgress(Float(fraction))
        case (.bytes(let count), .upload): delegate.request(request, didSendBytes: count)
        case (.bytes(let count), .download): delegate.request(request, didReceiveBytes: count)
        case (.announce(let count), .upload): delegate.request(request, incrementUploadSizeBy: count)
        case (.announce(let count), .download): delegate.request(request, incrementDownloadSizeBy: count)
        }
    }

    private func perform(_ change: ProgressChange, _ request: SDMHttpRequest) {
        let (selector, arguments): (String, [Any]) =
            switch (change, direction) {
            case (.fraction(let fraction), _): ("setProgress:", [Float(fraction)])
            case (.bytes(let count), .upload): ("request:didSendBytes:", [request, count])
            case (.bytes(let count), .download): ("request:didReceiveBytes:", [request, count])
            case (.announce(let count), .upload): ("request:incrementUploadSizeBy:", [request, count])
            case (.announce(let count), .download): ("request:incrementDownloadSizeBy:", [request, count])
            }
        do throws(SelectorError) {
            try Selectors.perform(selector, on: object, with: arguments)
        } catch {
            warn("The progress delegate cannot be called: \(error)")
        }
    }
}
