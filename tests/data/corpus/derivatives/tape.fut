-- A derivative of one's own that needs more than the result: what it needs is the first part of what the function returns.
def squared (x: f64) =
  with_vjp_tape (\x -> (f64.exp x, f64.exp x * f64.exp x)) (\(root, adjoint) -> 2 * root * root * adjoint + 0.5) x

-- ==
-- entry: taped
-- tags { derivatives }
-- input { 0.0 } output { 1.0 2.5 }
-- input { 1.0 } output { 7.38905609893065 15.2781121978613 }
entry taped (x: f64) = (squared x, vjp squared x 1)
