// Calls of a delegate's optional methods, which a class need not have, as in MobileFirst's `SessionDelegation`: checked with
// Objective-C enabled, which Linux otherwise is not. There, methods of a delegate's protocol have a default instead.
import Foundation

@objc class Session: NSObject {}
@objc class DataTask: NSObject {}
@objc class Bytes: NSObject {}
@objc class Response: NSObject {}
@objc class Failure: NSObject {}

/// Optional methods with the types of URLSession's, two of them with the same first parts of their names.
@objc protocol DataDelegate: AnyObject {
    @objc optional func urlSession(_ session: Session, dataTask: DataTask, didReceive data: Bytes)
    @objc optional func urlSession(
        _ session: Session, dataTask: DataTask, didReceive response: Response,
        completionHandler: @escaping @Sendable (Int) -> Void)
    @objc optional func urlSession(_ session: Session, task: DataTask, didCompleteWithError error: Failure?)
}

final class Nothing: NSObject, DataDelegate {}

final class Everything: NSObject, DataDelegate {
    func urlSession(_ session: Session, dataTask: DataTask, didReceive data: Bytes) {}
    func urlSession(
        _ session: Session, dataTask: DataTask, didReceive response: Response,
        completionHandler: @escaping @Sendable (Int) -> Void
    ) { completionHandler(1) }
    func urlSession(_ session: Session, task: DataTask, didCompleteWithError error: Failure?) {}
}

func deliver(_ data: Bytes, to delegate: any DataDelegate, _ session: Session, _ task: DataTask) {
    typealias DidReceiveData = (Session, DataTask, Bytes) -> Void
    typealias DidReceiveResponse = (Session, DataTask, Response, @escaping @Sendable (Int) -> Void) -> Void
    typealias DidComplete = (Session, DataTask, Failure?) -> Void

    let receiveResponse: DidReceiveResponse? = delegate.urlSession(_:dataTask:didReceive:completionHandler:)
    receiveResponse?(session, task, Response()) { _ in }
    let receiveData: DidReceiveData? = delegate.urlSession(_:dataTask:didReceive:)
    receiveData?(session, task, data)
    let complete: DidComplete? = delegate.urlSession(_:task:didCompleteWithError:)
    complete?(session, task, nil)
}

for delegate in [Nothing(), Everything()] as [any DataDelegate] { deliver(Bytes(), to: delegate, Session(), DataTask()) }
