import Authentication
import Coordination
import Delegation

extension Delivery {
    /// Calls a handler of the app. Also with inline delivery, which runs it in the task of an authorization, calls that
    /// it starts are not part of that authorization; nor is it part of an earlier callback that has started this task.
    /// - Parameter question: what the handler answers: until then its calls do not wait for the authorization. By
    ///   default they wait for tokens as usual.
    func callBack(for question: RunningWork? = nil, _ body: @escaping @Sendable () -> Void) {
        deliver {
            AuthorizationQueue.leave {
                GatewayChallenge.leave {
                    if let question { question.perform(body) } else { RunningWork.leave(body) }
                }
            }
        }
    }
}
