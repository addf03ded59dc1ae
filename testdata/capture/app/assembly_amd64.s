#include "textflag.h"

// func dot(a, b []float64) float64
TEXT ·dot(SB), NOSPLIT, $0-56
	MOVQ a_base+0(FP), SI
	MOVQ a_len+8(FP), CX
	MOVQ b_base+24(FP), DI
	XORPS X0, X0
	TESTQ CX, CX
	JZ   done

loop:
	MOVSD (SI), X1
	MULSD (DI), X1
	ADDSD X1, X0
	ADDQ  $8, SI
	ADDQ  $8, DI
	DECQ  CX
	JNZ   loop

done:
	MOVSD X0, ret+48(FP)
	RET
